// Package simdisk is part of the faultline workspace.
package simdisk

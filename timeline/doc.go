// Package timeline is part of the faultline workspace.
package timeline

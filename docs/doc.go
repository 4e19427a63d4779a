// Package docs is part of the faultline workspace.
package docs

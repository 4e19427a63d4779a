// Package artifact is part of the faultline workspace.
package artifact

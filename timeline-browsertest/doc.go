// Package browsertest opens timeline.html, the page that package timeline
// makes, in a real browser and uses it as a person would. It has tests only,
// in a module of its own, so that what drives the browser reaches no user.
//
// The tests need Chromium: the one that FAULTLINE_CHROMIUM names, or
// "chromium" on the path. Without it they are skipped, unless
// FAULTLINE_BROWSER is set to "required", as it is in CI. Screenshots are left
// in the directory that FAULTLINE_SCREENSHOTS names.
package browsertest

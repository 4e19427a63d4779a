// Command houserules is the style of the repository as a test. It reads every
// committed Go file, go.mod, go.sum, go.work and text file, prints what breaks a
// rule as file:line: rule: what to do instead, and exits with 1 if there is any.
//
// A line that must break a rule says so, with the reason, on the line itself or
// on the line above:
//
//	//faultline:allow goroutine a coroutine can only be stopped from outside
//	//faultline:unordered the sum does not depend on the order
//
// A marker that allows nothing, names an unknown rule or gives no reason is
// itself reported. Run with -rules for the list of rules.
//
// Limits: rules that need types see the files that build on the platform where
// the command runs, without tests. What is called through an interface, a
// function value or reflection is not followed.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func main() {
	list := flag.Bool("rules", false, "list the rules and exit")
	flag.Parse()
	if *list {
		for _, r := range rules {
			fmt.Printf("%-14s %s\n", r.name, r.about)
		}
		return
	}
	w, err := workspace.Open(".")
	if err != nil {
		fail(err)
	}
	findings, err := check(w)
	for _, f := range findings {
		fmt.Println(f)
	}
	if err != nil {
		fail(err)
	}
	if len(findings) > 0 {
		fmt.Printf("houserules: %d findings\n", len(findings))
		os.Exit(1)
	}
	fmt.Println("houserules: no findings")
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "houserules:", err)
	os.Exit(2)
}

// check runs every rule over the workspace.
func check(w *workspace.Workspace) ([]finding, error) {
	files, err := w.Files()
	if err != nil {
		return nil, err
	}
	r := newReport(w.Root)
	tree, err := parseTree(w, files, r)
	if err != nil {
		return nil, err
	}
	checkModules(w, files, r)
	checkText(w, files, r)
	for _, f := range tree {
		checkImports(f, r)
		checkSize(f, r)
		checkDocs(f, r)
	}
	checkPackageDocs(tree, r)
	checkExamples(tree, r)
	if err := checkTypes(w, r); err != nil {
		return r.sorted(), err // without the types, a marker may only seem unneeded
	}
	r.checkMarkers()
	return r.sorted(), nil
}

package mcp

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var toolRow = regexp.MustCompile(`(?m)^\| ([a-z_]+) \| .`)

// The page about the command has the tools that the server offers, and no
// other. Outside of the workspace there is no such page.
func TestReferenceNamesEveryTool(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reference", "cli.md"))
	if os.IsNotExist(err) {
		t.Skip("not in the workspace")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## faultline mcp\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, table, _ := strings.Cut(section, "| tool | does |\n")
	var told, has []string
	for _, m := range toolRow.FindAllStringSubmatch(table, -1) {
		told = append(told, m[1])
	}
	f := serve(t, 1<<20)
	list, err := f.client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		has = append(has, tool.Name)
	}
	slices.Sort(told)
	slices.Sort(has)
	if len(has) == 0 || !slices.Equal(told, has) {
		t.Errorf("cli.md has the tools %v, the server %v", told, has)
	}
}

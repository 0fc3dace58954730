package bloomery_test

// The test in this file holds that a stranger finds an example at every exported type.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

func TestEveryExportedTypeHasAnExample(t *testing.T) {
	examples, types := map[string]bool{}, []string{}
	for _, tests := range []bool{true, false} {
		packages, err := parser.ParseDir(token.NewFileSet(), ".", func(file fs.FileInfo) bool { return strings.HasSuffix(file.Name(), "_test.go") == tests }, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range packages {
			ast.Inspect(one, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.FuncDecl:
					if name, found := strings.CutPrefix(node.Name.Name, "Example"); found && tests {
						examples[name] = true
					}
				case *ast.TypeSpec:
					if !tests && node.Name.IsExported() {
						types = append(types, node.Name.Name)
					}
				}
				return true
			})
		}
	}
	for _, name := range types {
		if !examples[name] {
			t.Errorf("%s has no example: write func Example%s", name, name)
		}
	}
	if len(types) < 15 {
		t.Errorf("only %v are exported", types)
	}
}

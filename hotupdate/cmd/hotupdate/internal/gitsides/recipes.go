package gitsides

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// addRecipes selects the recipes that make manifests of changed files. The manifests that they make
// are in no file, so the command refuses them.
func (s *selection) addRecipes(tree string, selected set) error {
	return errors.Join(s.addKustomizations(tree, selected), s.addCharts(tree, selected), s.addVariables(tree, selected))
}

// recipesIn are the kustomizations and charts of both trees, in any folder, that are not left out.
func (s *selection) recipesIn(of trees) (map[string][]string, error) {
	var specs []string
	for _, name := range append(slices.Clone(kustomizations), chartFile) {
		specs = append(specs, ":(top,glob)**/"+name)
	}
	return s.grepEach([]string{of.old, of.updated}, []string{""}, append(specs, s.exclusions()...))
}

// textIn is the text of a file of a tree.
func (s *selection) textIn(tree, file string) (string, error) {
	return s.git("cat-file", "blob", tree+":"+file)
}

// hasChanged reports whether a changed file stands in a folder.
func (s *selection) hasChanged(folder string) bool {
	return slices.ContainsFunc(s.changed, func(file string) bool { return isBelow(file, folder) })
}

func isBelow(file, folder string) bool { return folder == "." || strings.HasPrefix(file, folder+"/") }

// leadsElsewhere matches a kustomization that uses files outside of its folder.
var leadsElsewhere = lazyregexp.New(`\.\./|://`)

// addKustomizations selects the kustomizations above changed files that make manifests.
func (s *selection) addKustomizations(tree string, selected set) error {
	for _, file := range s.recipes[tree] {
		folder := path.Dir(file)
		if !isKustomization(path.Base(file)) || !s.hasChanged(folder) {
			continue
		}
		text, err := s.textIn(tree, file)
		if err != nil {
			return err
		}
		below := folder
		if leadsElsewhere().MatchString(text) {
			below = "."
		}
		made, err := s.grep(tree, []string{s.kinds}, []string{literal(below)})
		if err != nil {
			return err
		}
		if len(made) > 0 {
			selected[file] = true
		}
	}
	return nil
}

// literal is the pathspec that matches exactly a folder, even if its name has wildcards.
func literal(folder string) string {
	if folder == "." {
		return everything
	}
	return ":(top,literal)" + folder
}

// nameKustomizations adds an ending to kustomizations without one, so that they are read.
func nameKustomizations(folder string, files set) error {
	var problems []error
	for file := range files {
		if path.Base(file) == "Kustomization" {
			at := filepath.Join(folder, filepath.FromSlash(file))
			problems = append(problems, os.Rename(at, filepath.Join(filepath.Dir(at), "kustomization.yaml")))
		}
	}
	return errors.Join(problems...)
}

// addCharts selects the charts of Helm above changed files, or all if values changed, that have manifests.
func (s *selection) addCharts(tree string, selected set) error {
	isOfValues := slices.ContainsFunc(s.changed, func(file string) bool { return isValues(path.Base(file)) })
	for _, file := range s.recipes[tree] {
		isConcerned := isOfValues || s.hasChanged(path.Dir(file))
		if path.Base(file) != chartFile || !isConcerned {
			continue
		}
		if err := s.addChart(tree, file, selected); err != nil {
			return err
		}
	}
	return nil
}

// beside matches a dependency of a chart that is in a folder.
var beside = lazyregexp.New(`(?m)^[\t -]*repository:[\t ]*["']?file://([^"'\n]*?)["']?[\t ]*$`)

// addChart selects a chart with the manifests and archives in it, and in the charts beside it that it depends on.
func (s *selection) addChart(tree, file string, selected set) error {
	text, err := s.textIn(tree, file)
	if err != nil {
		return err
	}
	folder := path.Dir(file)
	roots := []string{folder}
	for _, found := range beside().FindAllStringSubmatch(text, -1) {
		roots = append(roots, path.Join(folder, found[1]))
	}
	for _, root := range roots {
		if strings.HasPrefix(root, "..") {
			continue // no file of the repository has it
		}
		made, err := s.madeOf(tree, root)
		if err != nil {
			return err
		}
		for _, one := range made {
			selected[one] = true
			selected[file] = true
		}
	}
	return nil
}

// madeOf are the files with manifests in the folder of a chart, and the archives, which may have some.
func (s *selection) madeOf(tree, folder string) ([]string, error) {
	made, err := s.grep(tree, []string{s.kinds}, []string{literal(folder)})
	if err != nil {
		return nil, err
	}
	all, err := s.grep(tree, []string{""}, []string{literal(folder)})
	for _, file := range all {
		if path.Ext(file) == ".tgz" {
			made = append(made, file)
		}
	}
	return made, err
}

// The parts of Flux that put text in the place of variables.
var (
	fluxSubstitutes = lazyregexp.New(`postBuild`)
	hasVariables    = lazyregexp.New(kind + `(ConfigMap|Secret)`)
)

// addVariables selects the manifests with variables if the change may alter their values: it
// concerns a Kustomization of Flux, or a ConfigMap or Secret while a Kustomization reads some.
func (s *selection) addVariables(tree string, selected set) error {
	isSubstitution := false
	isSource := false
	for _, text := range s.texts {
		isSubstitution = isSubstitution || fluxSubstitutes().Match(text)
		isSource = isSource || hasVariables().Match(text)
	}
	if isSource && !isSubstitution {
		readers, err := s.grep(tree, []string{"substituteFrom"}, []string{everything})
		if err != nil {
			return err
		}
		isSubstitution = len(readers) > 0
	}
	if !isSubstitution {
		return nil
	}
	withVariables := []string{":(top,glob)**/*.yaml", ":(top,glob)**/*.yml", ":(top,glob)**/*.json"}
	found, err := s.grep(tree, []string{`\$\{`}, append(withVariables, s.exclusions()...))
	if err != nil {
		return err
	}
	for _, file := range found {
		text, err := s.textIn(tree, file)
		if err != nil {
			return err
		}
		if s.concerns([]byte(text)) {
			selected[file] = true
		}
	}
	return nil
}

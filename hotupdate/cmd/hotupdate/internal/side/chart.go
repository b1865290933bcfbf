package side

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	manifests "github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/manifest"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/facts"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/lazyregexp"
)

// chartFile is the name of the file that makes a folder a chart of Helm.
const chartFile = "Chart.yaml"

var errChart = errors.New("is a chart that may render Shoots or Workers; render it first, with helm template")

// isChart reports whether an object describes a chart. It needs no kind.
func isChart(file string, kind facts.TypeMeta) bool {
	isVersion := kind.APIVersion == "v1" || kind.APIVersion == "v2"
	return filepath.Base(file) == chartFile && kind.Kind == "" && isVersion
}

// foldersOfChart returns the folder of a chart, and the folders of the local charts that it depends
// on. Its other dependencies are in no folder.
func foldersOfChart(file string, chart *tree.Node) []string {
	folder := filepath.Dir(file)
	folders := []string{folder}
	for _, dependency := range chart.At("dependencies").Elements() {
		if beside, isBeside := strings.CutPrefix(dependency.At("repository").Text(), "file://"); isBeside {
			folders = append(folders, filepath.Join(folder, filepath.FromSlash(beside)))
		}
	}
	return folders
}

// ChartAround returns the error about the chart to which a file below a folder belongs as a
// template or as values; nil if there is no such chart with objects that are compared. The file may
// be missing.
func (r *Reader) ChartAround(folder, file string) error {
	for at := filepath.Dir(file); ; at = filepath.Dir(at) {
		name := filepath.Join(at, chartFile)
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			chart, _ := tree.ParseYAML(text, 1) // the dependencies of a malformed chart are not known
			for _, one := range foldersOfChart(name, chart) {
				if r.hasKinds(filepath.Join(folder, one)) {
					return manifests.InFile(name, errChart)
				}
			}
		}
		if at == filepath.Dir(at) || at == "." {
			return nil
		}
	}
}

// hasKinds reports whether a file in a folder, or in an archive in it, may have an object of a kind
// that is compared. A file that cannot be read may have one.
func (r *Reader) hasKinds(folder string) bool {
	isFound := false
	// a folder that cannot be read is reported where its manifests are read
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		isHidden := err == nil && path != folder && strings.HasPrefix(entry.Name(), ".")
		switch {
		case isHidden && entry.IsDir():
			return fs.SkipDir
		case err != nil || !entry.Type().IsRegular():
			return nil //nolint:nilerr // see above
		}
		isFound = r.fileHasKinds(path)
		if isFound {
			return fs.SkipAll
		}
		return nil
	})
	return isFound
}

// fileHasKinds is hasKinds for one file.
func (r *Reader) fileHasKinds(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close() //nolint:errcheck // it was only read
	if filepath.Ext(path) == ".tgz" {
		return r.archiveHasKinds(file)
	}
	return r.textHasKinds(file)
}

// archiveHasKinds is hasKinds for the archive of a chart.
func (r *Reader) archiveHasKinds(packed io.Reader) bool {
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return true
	}
	files := tar.NewReader(unpacked)
	for {
		_, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return false
		case err != nil || r.textHasKinds(files):
			return true
		}
	}
}

func (r *Reader) textHasKinds(file io.Reader) bool {
	text, _ := io.ReadAll(io.LimitReader(file, manifests.MaxSize)) // what can be read counts
	if groupOfGardener().Match(text) || bothFromTemplate(text) {
		return true
	}
	for _, found := range writtenKind().FindAllSubmatch(text, -1) {
		if r.mayBeCompared(string(found[1])) {
			return true
		}
	}
	return false
}

// The kinds and API groups in a text that may be a template.
var (
	writtenKind     = lazyregexp.New(`\bkind["']?[ \t]*:[ \t]*["']?(\w+)`)
	groupOfGardener = lazyregexp.New(`\bapiVersion["']?[ \t]*:[ \t]*["']?[a-z.]*gardener\.cloud/`)
	apiFromTemplate = lazyregexp.New(`\bapiVersion["']?[ \t]*:[ \t]*["']?\{\{`)
	kindOfTemplate  = lazyregexp.New(`\bkind["']?[ \t]*:[ \t]*["']?\{\{`)
)

// bothFromTemplate reports whether an apiVersion and a kind come from a template.
func bothFromTemplate(text []byte) bool {
	return bytes.Contains(text, []byte("{{")) && apiFromTemplate().Match(text) && kindOfTemplate().Match(text)
}

// mayBeCompared reports whether objects of a kind are compared, in some API group.
func (r *Reader) mayBeCompared(kind string) bool { return len(r.Schemas.versionsOf(kind)) > 0 }

// coverCharts marks the objects that charts render, see [objects.cover]. Charts without objects
// that are compared are ignored.
func (all *objects) coverCharts(r *Reader) {
	var roots []string
	for _, o := range all.list {
		switch {
		case o.role != isChartFile:
		case slices.ContainsFunc(o.covers, r.hasKinds):
			o.role = isRecipe
			o.problem = manifests.InFile(o.From, errChart)
			roots = append(roots, o.covers...)
		default:
			o.role = isOther
		}
	}
	all.list = slices.DeleteFunc(all.list, func(o *object) bool { return o.role == isOther })
	all.cover(roots, errChart)
	for _, o := range all.list { // the chart reports its templates
		o.isTold = o.isTold || o.role == isUnread && isBelow(o.Place.File, roots)
	}
}

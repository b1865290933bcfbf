package facts

import (
	"strings"

	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/pool/fields"
	"github.com/hotupdate/providerconfig/hotupdate/cmd/hotupdate/internal/tree"
	"github.com/hotupdate/providerconfig/internal/fieldpath"
)

// Volumes are the settings of a pool's volumes that differ on both sides and that only extensions hash: all of the data
// volumes, and whether the root volume is encrypted. Data volumes are paired by their positions.
type Volumes struct {
	// Paths are the paths of the settings, as in [ChangedFields].
	Paths []string

	updated     *Pool
	from, to    *tree.Node
	differences []tree.Difference
	most        int // data volumes on one of the sides
}

// VolumesOf compares the volumes of a pool.
func VolumesOf(old, updated *Pool) *Volumes {
	v := &Volumes{
		updated: updated, from: old.besideFields(), to: updated.besideFields(),
		most: max(len(old.DataVolumes), len(updated.DataVolumes)),
	}
	for _, d := range tree.Differences(v.from, v.to) {
		path := strings.Join(d.Path, ".")
		if path == fields.Encrypted || strings.HasPrefix(path, fields.DataVolumes) {
			v.Paths = append(v.Paths, path)
			v.differences = append(v.differences, d)
		}
	}
	return v
}

// With returns the new pool with its old volumes, to which some of the differences are applied.
func (v *Volumes) With(applied []int) *Pool {
	volumes := v.from
	for _, i := range applied {
		volumes = withDifference(v.differences[i], volumes, v.to)
	}
	pool := *v.updated
	pool.Encrypted = valueIn(volumes.At(fields.Split(fields.Encrypted)...), (*tree.Node).IsTrue)
	pool.DataVolumes = nil
	for i := range v.most {
		if volume := volumes.At(fieldpath.At(fields.DataVolumes, i)); volume != nil {
			pool.DataVolumes = append(pool.DataVolumes, volumeIn(volume))
		}
	}
	return &pool
}

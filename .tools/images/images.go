package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/ko/pkg/build"
	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// user is the user of the base image in the place of that of the configuration.
const user = "65532"

// checkImages builds the images of a configuration by ko as goreleaser does, over an empty base image. It pushes each
// to a registry in memory and reads it back.
func checkImages(ctx context.Context, project *config.Project, root string) error {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	var problems []error
	for _, image := range project.Kos {
		i := slices.IndexFunc(project.Builds, func(b config.Build) bool { return b.ID == image.Build })
		if i < 0 {
			problems = append(problems, fmt.Errorf("image %s: there is no build %s", image.ID, image.Build))
			continue
		}
		target := strings.TrimPrefix(server.URL, "http://") + "/" + image.ID
		if err := checkImage(ctx, &image, &project.Builds[i], root, target); err != nil {
			problems = append(problems, fmt.Errorf("image %s: %w", image.ID, err))
		}
	}
	return errors.Join(problems...)
}

func checkImage(ctx context.Context, image *config.Ko, from *config.Build, root, target string) error {
	built, err := buildImage(ctx, image, from, root)
	if err != nil {
		return err
	}
	reference, err := name.ParseReference(target)
	if err != nil {
		return err
	}
	if err := remote.WriteIndex(reference, built, remote.WithContext(ctx)); err != nil {
		return err
	}
	pushed, err := remote.Index(reference, remote.WithContext(ctx))
	if err != nil {
		return err
	}
	manifest, err := pushed.IndexManifest()
	if err != nil {
		return err
	}
	var found []string
	for _, m := range manifest.Manifests {
		found = append(found, m.Platform.String())
		one, err := pushed.Image(m.Digest)
		if err != nil {
			return err
		}
		if err := checkPlatform(ctx, one, m.Platform, from.Binary); err != nil {
			return fmt.Errorf("%s: %w", m.Platform, err)
		}
	}
	if slices.Sort(found); !slices.Equal(found, slices.Sorted(slices.Values(image.Platforms))) {
		return fmt.Errorf("has the platforms %q, and not %q", found, image.Platforms)
	}
	return nil
}

// buildImage returns the image of all platforms.
func buildImage(ctx context.Context, image *config.Ko, from *config.Build, root string) (v1.ImageIndex, error) {
	base, err := emptyBase(image.Platforms)
	if err != nil {
		return nil, err
	}
	named, err := name.ParseReference(image.BaseImage)
	if err != nil {
		return nil, err
	}
	builder, err := build.NewGo(ctx, filepath.Join(root, from.Dir),
		build.WithBaseImages(func(context.Context, string) (name.Reference, build.Result, error) {
			return named, base, nil
		}),
		build.WithPlatforms(image.Platforms...), build.WithTrimpath(true), build.WithDisabledSBOM(), build.WithJobs(2),
		build.WithDefaultEnv(from.Env), build.WithDefaultFlags(from.Flags), build.WithDefaultLdflags(from.Ldflags))
	if err != nil {
		return nil, err
	}
	path, err := builder.QualifyImport(from.Main)
	if err != nil {
		return nil, err
	}
	result, err := builder.Build(ctx, path)
	if err != nil {
		return nil, err
	}
	index, isIndex := result.(v1.ImageIndex)
	if !isIndex {
		return nil, errors.New("is for one platform only")
	}
	return index, nil
}

// emptyBase is a base image without files.
func emptyBase(platforms []string) (v1.ImageIndex, error) {
	index := v1.ImageIndex(empty.Index)
	for _, text := range platforms {
		platform, err := v1.ParsePlatform(text)
		if err != nil {
			return nil, err
		}
		image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
			OS: platform.OS, Architecture: platform.Architecture, Config: v1.Config{User: user},
		})
		if err != nil {
			return nil, err
		}
		described := v1.Descriptor{Platform: platform}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: described})
	}
	return index, nil
}

// checkPlatform checks that an image runs the binary as the user of the base image, and has no other program. The
// binary of this machine's platform is run.
func checkPlatform(ctx context.Context, image v1.Image, platform *v1.Platform, binary string) error {
	file, err := image.ConfigFile()
	if err != nil {
		return err
	}
	program := "/ko-app/" + binary
	if !slices.Equal(file.Config.Entrypoint, []string{program}) || file.Config.User != user {
		return fmt.Errorf("runs %q as %q, and not %s as %s", file.Config.Entrypoint, file.Config.User, program, user)
	}
	extracted := mutate.Extract(image)
	defer func() { _ = extracted.Close() }()
	var programs []string
	for archive := tar.NewReader(extracted); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		programs = append(programs, path.Join("/", header.Name))
		if platform.OS == runtime.GOOS && platform.Architecture == runtime.GOARCH {
			if err := runs(ctx, archive); err != nil {
				return err
			}
		}
	}
	if !slices.Equal(programs, []string{program}) {
		return fmt.Errorf("has the files %q, and not %s alone", programs, program)
	}
	return nil
}

// runs runs a program that says how it is used.
func runs(ctx context.Context, program io.Reader) error {
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, err := os.OpenFile(filepath.Join(dir, "program"), os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, program)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, file.Name(), "--help").CombinedOutput()
	if err != nil || len(out) == 0 {
		return fmt.Errorf("--help: %w: %s", err, out)
	}
	return nil
}

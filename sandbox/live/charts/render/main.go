// Renders a Helm chart with Helm's own engine: what an installation would send to the API server, without one.
//
// Usage: render CHART-FOLDER < {"name": .., "namespace": .., "kubernetes": .., "values": ..}. The objects are printed as
// YAML documents; what goes wrong is one line on stderr.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

type request struct {
	Name       string         `json:"name"`
	Namespace  string         `json:"namespace"`
	Kubernetes string         `json:"kubernetes"`
	Values     map[string]any `json:"values"`
}

func main() {
	if err := render(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder string) error {
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	chart, err := loader.Load(folder)
	if err != nil {
		return err
	}
	if err := chartutil.ProcessDependencies(chart, asked.Values); err != nil {
		return err
	}
	version, err := chartutil.ParseKubeVersion(asked.Kubernetes)
	if err != nil {
		return err
	}
	able := chartutil.DefaultCapabilities.Copy()
	able.KubeVersion = *version
	release := chartutil.ReleaseOptions{Name: asked.Name, Namespace: asked.Namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(chart, asked.Values, release, able)
	if err != nil {
		return err
	}
	files, err := engine.Render(chart, values)
	if err != nil {
		return err
	}
	for name, text := range files {
		// What Helm leaves out: parts of templates, and the notes.
		left := strings.HasPrefix(path.Base(name), "_") || strings.HasSuffix(name, ".txt")
		if !left && strings.TrimSpace(text) != "" {
			fmt.Printf("---\n%s\n", text)
		}
	}
	return nil
}

// Asks the azurerm provider's own validation. Reads one question a line, {"type": .., "config": {..}}, and writes one
// answer a line. It is built inside of the provider's module, whose resources are internal to it, and configures
// nothing: no account is needed and nothing is sent.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/terraform"

	"github.com/hashicorp/terraform-provider-azurerm/internal/sdk"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/authorization"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/compute"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/containers"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/dashboard"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/loganalytics"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/managedidentity"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/monitor"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/network"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/resource"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/storage"
	"github.com/hashicorp/terraform-provider-azurerm/internal/services/storagecache"
)

type question struct {
	Type   string         `json:"type"`
	Config map[string]any `json:"config"`
}

type remark struct {
	Path string `json:"path"`
	Said string `json:"said"`
}

// Left: inputs that the resource does not have. Whether a value goes with the others is told by Refusals alike.
type answer struct {
	Known    bool     `json:"known"`
	Refusals []remark `json:"refusals"`
	Warnings []remark `json:"warnings"`
	Left     []string `json:"left"`
}

type service interface {
	SupportedResources() map[string]*schema.Resource
}

func main() {
	resources, err := all()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		_ = out.Encode(judged(resources[asked.Type], asked.Config))
	}
}

// all has the resources of the services above, by name.
func all() (map[string]*schema.Resource, error) {
	found := map[string]*schema.Resource{}
	for _, one := range []any{
		authorization.Registration{}, compute.Registration{}, containers.Registration{}, dashboard.Registration{},
		loganalytics.Registration{}, managedidentity.Registration{}, monitor.Registration{}, network.Registration{},
		resource.Registration{}, storage.Registration{}, storagecache.Registration{},
	} {
		if untyped, ok := one.(service); ok {
			for name, resource := range untyped.SupportedResources() {
				found[name] = resource
			}
		}
		if typed, ok := one.(sdk.TypedServiceRegistration); ok {
			for _, resource := range typed.Resources() {
				wrapper := sdk.NewResourceWrapper(resource)
				wrapped, err := wrapper.Resource()
				if err != nil {
					return nil, err
				}
				found[resource.ResourceType()] = wrapped
			}
		}
	}
	return found, nil
}

func judged(resource *schema.Resource, config map[string]any) answer {
	said := answer{Known: resource != nil, Refusals: []remark{}, Warnings: []remark{}, Left: []string{}}
	if resource == nil {
		return said
	}
	kept := fitted(resource.Schema, config, "", &said.Left)
	for _, one := range resource.Validate(terraform.NewResourceConfigRaw(kept)) {
		text := one.Summary
		if one.Detail != "" {
			text += ": " + one.Detail
		}
		if one.Severity == diag.Error {
			said.Refusals = append(said.Refusals, remark{written(one.AttributePath), text})
		} else {
			said.Warnings = append(said.Warnings, remark{written(one.AttributePath), text})
		}
	}
	sort.Strings(said.Left)
	return said
}

// fitted gives values the shape that the schema has: what it lacks is left out, an object becomes a block, and whole
// numbers are whole.
func fitted(fields map[string]*schema.Schema, values map[string]any, path string, left *[]string) map[string]any {
	kept := map[string]any{}
	for name, value := range values {
		field, ok := fields[name]
		switch {
		case !ok || (field.Computed && !field.Optional):
			*left = append(*left, path+name)
		case value != nil:
			kept[name] = shaped(field, value, path+name, left)
		}
	}
	return kept
}

func shaped(field *schema.Schema, value any, path string, left *[]string) any {
	if field.Type == schema.TypeList || field.Type == schema.TypeSet {
		items, ok := value.([]any)
		if !ok {
			items = []any{value}
		}
		block, ok := field.Elem.(*schema.Resource)
		found := make([]any, len(items))
		for at, item := range items {
			inner, isObject := item.(map[string]any)
			if ok && isObject {
				found[at] = fitted(block.Schema, inner, fmt.Sprintf("%s.%d.", path, at), left)
			} else {
				found[at] = whole(item)
			}
		}
		return found
	}
	return whole(value)
}

func whole(value any) any {
	if number, ok := value.(float64); ok && number == float64(int(number)) {
		return int(number)
	}
	return value
}

// written is a path as `fitted` writes it.
func written(path cty.Path) string {
	text := ""
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			if step.Key.Type() == cty.Number {
				at, _ := step.Key.AsBigFloat().Int64()
				text += fmt.Sprintf(".%d", at)
			} else if step.Key.Type() == cty.String {
				text += "." + step.Key.AsString()
			}
		}
	}
	if text == "" {
		return ""
	}
	return text[1:]
}

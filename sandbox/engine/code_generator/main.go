// Generates a program in Python with Pulumi's own generator, as Pulumi's Python language host does.
//
// Reads a GenerateProgramRequest from stdin and writes a GenerateProgramResponse to stdout; what goes wrong is one line on
// stderr. Source: pulumi/pulumi sdk/python/cmd/pulumi-language-python (GenerateProgram).
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/proto"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	read, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var request pulumirpc.GenerateProgramRequest
	if err := proto.Unmarshal(read, &request); err != nil {
		return err
	}
	answer, err := generate(&request)
	if err != nil {
		return err
	}
	written, err := proto.Marshal(answer)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(written)
	return err
}

func generate(request *pulumirpc.GenerateProgramRequest) (*pulumirpc.GenerateProgramResponse, error) {
	loader, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	parser := syntax.NewParser()
	for path, contents := range request.Source {
		if err := parser.ParseFile(strings.NewReader(contents), path); err != nil {
			return nil, err
		}
	}
	diagnostics := parser.Diagnostics
	if diagnostics.HasErrors() {
		return &pulumirpc.GenerateProgramResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)}, nil
	}
	var options []pcl.BindOption
	if !request.Strict {
		options = pcl.NonStrictBindOptions()
	}
	program, bound, err := pcl.BindProgram(parser.Files, schema.NewCachedLoader(loader), options...)
	if err != nil {
		return nil, err
	}
	diagnostics = append(diagnostics, bound...)
	if program == nil || diagnostics.HasErrors() {
		return &pulumirpc.GenerateProgramResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(diagnostics)}, nil
	}
	files, generated, err := python.GenerateProgram(program)
	if err != nil {
		return nil, err
	}
	diagnostics = append(diagnostics, generated...)
	return &pulumirpc.GenerateProgramResponse{
		Source: files, Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(diagnostics),
	}, nil
}

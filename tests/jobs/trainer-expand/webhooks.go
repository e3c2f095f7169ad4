package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// webhooks stands in for a manager: what is set up for it is asked here, by its path.
type webhooks struct {
	ctrl.Manager
	cluster client.Client
	paths   paths
}

type paths struct {
	webhook.Server
	hooks map[string]http.Handler
}

func (p paths) Register(path string, hook http.Handler) { p.hooks[path] = hook }

func (paths) WebhookMux() *http.ServeMux { return nil }

func (w webhooks) GetClient() client.Client { return w.cluster }

func (w webhooks) GetScheme() *runtime.Scheme { return w.cluster.Scheme() }

func (w webhooks) GetConfig() *rest.Config { return &rest.Config{} }

func (w webhooks) GetWebhookServer() webhook.Server { return w.paths }

func newWebhooks(cluster client.Client, setup func(ctrl.Manager) error) (webhooks, error) {
	hooks := webhooks{cluster: cluster, paths: paths{hooks: map[string]http.Handler{}}}
	return hooks, setup(hooks)
}

// created says what the webhook at a path makes of an object that is created; refused where it does not take it.
func (w webhooks) created(ctx context.Context, path string, object client.Object) (refused, err error) {
	hook, known := w.paths.hooks[path].(*admission.Webhook)
	if !known {
		return nil, fmt.Errorf("no webhook at %s", path)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	answer := hook.Handle(ctx, admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: text},
	}})
	if !answer.Allowed {
		return errors.New(answer.Result.Message), nil
	}
	changes, err := json.Marshal(answer.Patches)
	if err != nil || len(answer.Patches) == 0 {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(changes)
	if err != nil {
		return nil, err
	}
	if text, err = patch.Apply(text); err != nil {
		return nil, err
	}
	return nil, json.Unmarshal(text, object)
}

// Package gophercloud uses a Tenure as a Go program does: it logs in to Keystone with name and password and finds the
// gateway in the catalog. tests/e2e/gophercloud.test.ts starts both, runs this as several users, and checks each step.
package gophercloud

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/nodes"
)

const microversion = "1.91"

// deadline is for everything that one user does.
const deadline = 2 * time.Minute

func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set", name)
	}
	return value
}

// logIn logs the user of the environment in, and answers a client of what the catalog has under baremetal.
func logIn(t *testing.T) (context.Context, *gophercloud.ServiceClient) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	scope := &gophercloud.AuthScope{System: true}
	if project := os.Getenv("OS_PROJECT_ID"); project != "" {
		scope = &gophercloud.AuthScope{ProjectID: project}
	}
	provider, err := openstack.AuthenticatedClient(ctx, gophercloud.AuthOptions{
		IdentityEndpoint: setting(t, "OS_AUTH_URL"),
		Username:         setting(t, "OS_USERNAME"),
		Password:         setting(t, "OS_PASSWORD"),
		DomainID:         "default",
		Scope:            scope,
	})
	must(t, err)
	client, err := openstack.NewBareMetalV1(provider, gophercloud.EndpointOpts{Region: "RegionOne"})
	must(t, err)
	client.Microversion = microversion
	return ctx, client
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s is %v, not %v", what, got, want)
	}
}

// refused demands that an error is an answer of the API with this status.
func refused(t *testing.T, err error, status int) {
	t.Helper()
	if !gophercloud.ResponseCodeIs(err, status) {
		t.Fatalf("the answer is %v, not a %d", err, status)
	}
}

// node is a node as a caller sees it that may only see whether it is reserved: gophercloud's own struct takes the
// name of a conductor there, and nothing else.
type node struct {
	nodes.Node
	Reservation any `json:"reservation"`
}

func show(ctx context.Context, client *gophercloud.ServiceClient, ident string) (node, error) {
	var found node
	err := nodes.Get(ctx, client, ident).ExtractInto(&found)
	return found, err
}

// until waits for a node to be as it should be and to be unlocked.
func until(t *testing.T, ctx context.Context, client *gophercloud.ServiceClient, ident string, isSo func(node) bool) {
	t.Helper()
	must(t, gophercloud.WaitFor(ctx, func(ctx context.Context) (bool, error) {
		found, err := show(ctx, client, ident)
		isFree := found.Reservation == nil || found.Reservation == false
		return err == nil && isFree && isSo(found), err
	}))
}

func provision(t *testing.T, ctx context.Context, client *gophercloud.ServiceClient, ident string, target nodes.TargetProvisionState, reaches nodes.ProvisionState) {
	t.Helper()
	must(t, nodes.ChangeProvisionState(ctx, client, ident, nodes.ProvisionStateOpts{Target: target}).ExtractErr())
	until(t, ctx, client, ident, func(found node) bool { return found.ProvisionState == string(reaches) })
}

func power(t *testing.T, ctx context.Context, client *gophercloud.ServiceClient, ident string, target nodes.TargetPowerState, reaches string) {
	t.Helper()
	must(t, nodes.ChangePowerState(ctx, client, ident, nodes.PowerStateOpts{Target: target}).ExtractErr())
	until(t, ctx, client, ident, func(found node) bool { return found.PowerState == reaches && found.TargetPowerState == "" })
}

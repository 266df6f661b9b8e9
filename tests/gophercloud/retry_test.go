package gophercloud

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/nodes"
)

const retries = 5

// pause waits for the Retry-After of a refusal, and then lets gophercloud retry.
func pause(ctx context.Context, refused *gophercloud.ErrUnexpectedResponseCode, err error, count uint) error {
	seconds, problem := strconv.Atoi(refused.ResponseHeader.Get("Retry-After"))
	if problem != nil || count > retries {
		return err
	}
	select {
	case <-time.After(time.Duration(seconds) * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retrying configures a client as in docs/gophercloud.md: gophercloud has one function for 429 and another for other errors.
func retrying(provider *gophercloud.ProviderClient) {
	provider.MaxBackoffRetries = retries
	provider.RetryBackoffFunc = pause
	provider.RetryFunc = func(
		ctx context.Context, _, _ string, _ *gophercloud.RequestOpts, err error, count uint,
	) error {
		if refused, is := err.(gophercloud.ErrUnexpectedResponseCode); is &&
			refused.Actual == http.StatusServiceUnavailable {
			return pause(ctx, &refused, err, count)
		}
		return err
	}
}

// TestRetries reads a node while the gateway refuses the first requests.
func TestRetries(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	provider := &gophercloud.ProviderClient{TokenID: setting(t, "TOKEN")}
	retrying(provider)
	client := &gophercloud.ServiceClient{
		ProviderClient: provider,
		Endpoint:       setting(t, "GATEWAY") + "/v1/",
		Type:           "baremetal",
		Microversion:   microversion,
	}
	var found node
	must(t, nodes.Get(ctx, client, setting(t, "OWN_NODE")).ExtractInto(&found))
	equal(t, "the uuid", found.UUID, setting(t, "OWN_NODE"))
}

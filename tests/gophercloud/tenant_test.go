package gophercloud

import (
	"context"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/allocations"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/drivers"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/nodes"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/ports"
)

// allocated waits until an allocation has its node.
func allocated(t *testing.T, ctx context.Context, client *gophercloud.ServiceClient, id, node string) {
	t.Helper()
	must(t, gophercloud.WaitFor(ctx, func(ctx context.Context) (bool, error) {
		found, err := allocations.Get(ctx, client, id).Extract()
		return err == nil && found.State == "active" && found.NodeUUID == node, err
	}))
}

// TestTenant is what the administrator of a project does with the one machine that the project owns, in a fleet with others.
func TestTenant(t *testing.T) {
	ctx, client := logIn(t)
	own, other := setting(t, "OWN_NODE"), setting(t, "OTHER_NODE")
	const missing = "6a1f6b5c-6d4f-4f0e-9d5a-0d6f3a1c9b11"

	t.Run("lists its own node only", func(t *testing.T) {
		for _, opts := range []nodes.ListOpts{{}, {Fields: []string{"uuid", "owner", "power_state"}}} {
			pages, err := nodes.List(client, opts).AllPages(ctx)
			must(t, err)
			found, err := nodes.ExtractNodes(pages)
			must(t, err)
			equal(t, "their number", len(found), 1)
			equal(t, "the uuid", found[0].UUID, own)
		}
	})
	t.Run("shows its own node", func(t *testing.T) {
		found, err := show(ctx, client, own)
		must(t, err)
		equal(t, "its owner", found.Owner, setting(t, "OS_PROJECT_ID"))
		equal(t, "whether it is reserved", found.Reservation, any(false))
	})
	t.Run("gets a 404 for another's node, as for one that is missing", func(t *testing.T) {
		for _, ident := range []string{other, "gophercloud-other", missing} {
			_, err := show(ctx, client, ident)
			refused(t, err, 404)
			refused(t, nodes.ChangePowerState(ctx, client, ident, nodes.PowerStateOpts{Target: nodes.PowerOn}).ExtractErr(), 404)
			refused(t, nodes.SetMaintenance(ctx, client, ident, nodes.MaintenanceOpts{}).ExtractErr(), 404)
			refused(t, nodes.Delete(ctx, client, ident).ExtractErr(), 404)
			_, err = ports.List(client, ports.ListOpts{Node: ident}).AllPages(ctx)
			refused(t, err, 404)
		}
	})
	t.Run("may not enrol, delete, or look at drivers", func(t *testing.T) {
		_, err := nodes.Create(ctx, client, nodes.CreateOpts{Driver: "fake-hardware"}).Extract()
		refused(t, err, 403)
		refused(t, nodes.Delete(ctx, client, own).ExtractErr(), 403)
		_, err = drivers.ListDrivers(client, drivers.ListDriversOpts{}).AllPages(ctx)
		refused(t, err, 403)
	})
	t.Run("updates its own node by a JSON patch, but not its owner", func(t *testing.T) {
		var updated node
		must(t, nodes.Update(ctx, client, own, nodes.UpdateOpts{
			nodes.UpdateOperation{Op: nodes.AddOp, Path: "/extra/tag", Value: "green"},
		}).ExtractInto(&updated))
		equal(t, "its tag", updated.Extra["tag"], any("green"))
		refused(t, nodes.Update(ctx, client, own, nodes.UpdateOpts{
			nodes.UpdateOperation{Op: nodes.ReplaceOp, Path: "/owner", Value: "somebody-else"},
		}).Err, 403)
	})
	t.Run("validates its own node", func(t *testing.T) {
		validation, err := nodes.Validate(ctx, client, own).Extract()
		must(t, err)
		equal(t, "power", validation.Power.Result, true)
	})
	t.Run("switches its own node on and off", func(t *testing.T) {
		power(t, ctx, client, own, nodes.PowerOn, "power on")
		power(t, ctx, client, own, nodes.PowerOff, "power off")
	})
	t.Run("puts its own node into maintenance and takes it out", func(t *testing.T) {
		must(t, nodes.SetMaintenance(ctx, client, own, nodes.MaintenanceOpts{Reason: "mine"}).ExtractErr())
		until(t, ctx, client, own, func(found node) bool { return found.Maintenance })
		must(t, nodes.UnsetMaintenance(ctx, client, own).ExtractErr())
		until(t, ctx, client, own, func(found node) bool { return !found.Maintenance })
	})
	t.Run("sets the boot device of its own node", func(t *testing.T) {
		wanted := nodes.BootDeviceOpts{BootDevice: "disk", Persistent: true}
		must(t, nodes.SetBootDevice(ctx, client, own, wanted).ExtractErr())
		found, err := nodes.GetBootDevice(ctx, client, own).Extract()
		must(t, err)
		equal(t, "the boot device", *found, wanted)
	})
	t.Run("manages and provides its own node", func(t *testing.T) {
		provision(t, ctx, client, own, nodes.TargetManage, nodes.Manageable)
		provision(t, ctx, client, own, nodes.TargetProvide, nodes.Available)
	})
	t.Run("has ports on its own node only", func(t *testing.T) {
		made, err := ports.Create(ctx, client, ports.CreateOpts{NodeUUID: own, Address: "52:54:00:aa:00:02"}).Extract()
		must(t, err)
		for _, ident := range []string{other, missing} {
			_, err = ports.Create(ctx, client, ports.CreateOpts{NodeUUID: ident, Address: "52:54:00:aa:00:03"}).Extract()
			refused(t, err, 403)
		}
		pages, err := ports.List(client, nil).AllPages(ctx)
		must(t, err)
		found, err := ports.ExtractPorts(pages)
		must(t, err)
		equal(t, "the number of ports", len(found), 1)
		_, err = ports.Update(ctx, client, made.UUID, ports.UpdateOpts{
			ports.UpdateOperation{Op: ports.ReplaceOp, Path: "/pxe_enabled", Value: true},
		}).Extract()
		must(t, err)
		must(t, ports.Delete(ctx, client, made.UUID).ExtractErr())
	})
	t.Run("allocates its own node, and never another's", func(t *testing.T) {
		made, err := allocations.Create(ctx, client, allocations.CreateOpts{ResourceClass: "baremetal"}).Extract()
		must(t, err)
		allocated(t, ctx, client, made.UUID, own)
		second, err := allocations.Create(ctx, client, allocations.CreateOpts{ResourceClass: "baremetal"}).Extract()
		must(t, err)
		must(t, gophercloud.WaitFor(ctx, func(ctx context.Context) (bool, error) {
			found, err := allocations.Get(ctx, client, second.UUID).Extract()
			return err == nil && found.State == "error" && found.NodeUUID == "", err
		}))
		pages, err := allocations.List(client, allocations.ListOpts{}).AllPages(ctx)
		must(t, err)
		found, err := allocations.ExtractAllocations(pages)
		must(t, err)
		equal(t, "the number of allocations", len(found), 2)
		for _, one := range found {
			must(t, allocations.Delete(ctx, client, one.UUID).ExtractErr())
		}
	})
}

// TestStranger is a project that owns and leases nothing.
func TestStranger(t *testing.T) {
	ctx, client := logIn(t)

	t.Run("sees an empty fleet", func(t *testing.T) {
		pages, err := nodes.List(client, nodes.ListOpts{}).AllPages(ctx)
		must(t, err)
		found, err := nodes.ExtractNodes(pages)
		must(t, err)
		equal(t, "their number", len(found), 0)
	})
	t.Run("gets a 404 for every node", func(t *testing.T) {
		for _, ident := range []string{setting(t, "OWN_NODE"), setting(t, "OTHER_NODE")} {
			_, err := nodes.Get(ctx, client, ident).Extract()
			refused(t, err, 404)
		}
	})
}

package gophercloud

import (
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/allocations"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/drivers"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/nodes"
	"github.com/gophercloud/gophercloud/v2/openstack/baremetal/v1/ports"
)

// TestOperator is what a system administrator does with a machine, from its enrolment to its end.
func TestOperator(t *testing.T) {
	ctx, client := logIn(t)
	owner := setting(t, "OWNER")

	t.Run("finds the gateway in the catalog", func(t *testing.T) {
		equal(t, "the endpoint", client.Endpoint, setting(t, "GATEWAY")+"/")
	})
	t.Run("lists the drivers", func(t *testing.T) {
		pages, err := drivers.ListDrivers(client, drivers.ListDriversOpts{Detail: true}).AllPages(ctx)
		must(t, err)
		found, err := drivers.ExtractDrivers(pages)
		must(t, err)
		if !slices.ContainsFunc(found, func(d drivers.Driver) bool { return d.Name == "fake-hardware" }) {
			t.Fatalf("there is no fake-hardware in %v", found)
		}
	})
	t.Run("shows a driver and its properties", func(t *testing.T) {
		driver, err := drivers.GetDriverDetails(ctx, client, "fake-hardware").Extract()
		must(t, err)
		equal(t, "its power interface", driver.DefaultPowerInterface, "fake")
		properties, err := drivers.GetDriverProperties(ctx, client, "redfish").Extract()
		must(t, err)
		if (*properties)["redfish_address"] == nil {
			t.Fatalf("there is no redfish_address in %v", *properties)
		}
	})

	var enrolled *nodes.Node
	t.Run("enrols a node", func(t *testing.T) {
		var err error
		enrolled, err = nodes.Create(ctx, client, nodes.CreateOpts{
			Name:          "gophercloud-node",
			Driver:        "fake-hardware",
			Owner:         owner,
			ResourceClass: "gophercloud",
			Properties:    map[string]any{"cpu_arch": "x86_64"},
			DriverInfo:    map[string]any{"rack": "r7"},
		}).Extract()
		must(t, err)
		equal(t, "its state", enrolled.ProvisionState, "enroll")
		equal(t, "its owner", enrolled.Owner, owner)
	})
	if enrolled == nil {
		t.FailNow()
	}
	id := enrolled.UUID

	t.Run("shows it by uuid and by name", func(t *testing.T) {
		for _, ident := range []string{id, "gophercloud-node"} {
			found, err := nodes.Get(ctx, client, ident).Extract()
			must(t, err)
			equal(t, "its uuid", found.UUID, id)
			equal(t, "its rack", found.DriverInfo["rack"], any("r7"))
		}
	})
	t.Run("lists nodes page by page", func(t *testing.T) {
		// gophercloud looks for the next page where Ironic does not name it, so its callers go on from the last they saw.
		opts := nodes.ListOpts{Limit: 1, Fields: []string{"uuid", "name"}, SortKey: "name"}
		for _, name := range []string{"gophercloud-node", "gophercloud-other", "keystone-node"} {
			pages, err := nodes.List(client, opts).AllPages(ctx)
			must(t, err)
			found, err := nodes.ExtractNodes(pages)
			must(t, err)
			equal(t, "the length of a page", len(found), 1)
			equal(t, "the name", found[0].Name, name)
			opts.Marker = found[0].UUID
		}
		pages, err := nodes.List(client, opts).AllPages(ctx)
		must(t, err)
		isEmpty, err := pages.IsEmpty()
		must(t, err)
		equal(t, "whether the page after the last is empty", isEmpty, true)
	})
	t.Run("lists nodes whole, by a filter", func(t *testing.T) {
		pages, err := nodes.ListDetail(client, nodes.ListOpts{ResourceClass: "gophercloud"}).AllPages(ctx)
		must(t, err)
		found, err := nodes.ExtractNodes(pages)
		must(t, err)
		equal(t, "their number", len(found), 1)
		equal(t, "the uuid", found[0].UUID, id)
	})
	t.Run("updates it by a JSON patch", func(t *testing.T) {
		updated, err := nodes.Update(ctx, client, id, nodes.UpdateOpts{
			nodes.UpdateOperation{Op: nodes.AddOp, Path: "/extra/tag", Value: "blue"},
			nodes.UpdateOperation{Op: nodes.ReplaceOp, Path: "/description", Value: "made in Go"},
			nodes.UpdateOperation{Op: nodes.RemoveOp, Path: "/driver_info/rack"},
		}).Extract()
		must(t, err)
		equal(t, "its tag", updated.Extra["tag"], any("blue"))
		equal(t, "its description", updated.Description, "made in Go")
		equal(t, "what is left of driver_info", len(updated.DriverInfo), 0)
	})
	t.Run("validates it", func(t *testing.T) {
		validation, err := nodes.Validate(ctx, client, id).Extract()
		must(t, err)
		equal(t, "power", validation.Power.Result, true)
		equal(t, "management", validation.Management.Result, true)
	})
	t.Run("manages and provides it", func(t *testing.T) {
		provision(t, ctx, client, id, nodes.TargetManage, nodes.Manageable)
		provision(t, ctx, client, id, nodes.TargetProvide, nodes.Available)
	})
	t.Run("gets an error for a state that cannot be reached from here", func(t *testing.T) {
		err := nodes.ChangeProvisionState(ctx, client, id, nodes.ProvisionStateOpts{Target: nodes.TargetUnrescue}).ExtractErr()
		refused(t, err, 400)
	})
	t.Run("switches it on, reboots it, and switches it off", func(t *testing.T) {
		power(t, ctx, client, id, nodes.PowerOn, "power on")
		power(t, ctx, client, id, nodes.Rebooting, "power on")
		power(t, ctx, client, id, nodes.PowerOff, "power off")
	})
	t.Run("puts it into maintenance and takes it out", func(t *testing.T) {
		must(t, nodes.SetMaintenance(ctx, client, id, nodes.MaintenanceOpts{Reason: "new fan"}).ExtractErr())
		until(t, ctx, client, id, func(found node) bool { return found.Maintenance && found.MaintenanceReason == "new fan" })
		must(t, nodes.UnsetMaintenance(ctx, client, id).ExtractErr())
		until(t, ctx, client, id, func(found node) bool { return !found.Maintenance && found.MaintenanceReason == "" })
	})
	t.Run("sets its boot device", func(t *testing.T) {
		supported, err := nodes.GetSupportedBootDevices(ctx, client, id).Extract()
		must(t, err)
		if !slices.Contains(supported, "pxe") {
			t.Fatalf("there is no pxe in %v", supported)
		}
		wanted := nodes.BootDeviceOpts{BootDevice: "pxe", Persistent: true}
		must(t, nodes.SetBootDevice(ctx, client, id, wanted).ExtractErr())
		found, err := nodes.GetBootDevice(ctx, client, id).Extract()
		must(t, err)
		equal(t, "the boot device", *found, wanted)
	})
	t.Run("gives it a port, changes it, and takes it away", func(t *testing.T) {
		made, err := ports.Create(ctx, client, ports.CreateOpts{
			NodeUUID:        id,
			Address:         "52:54:00:AA:00:01",
			PhysicalNetwork: "blue",
			Extra:           map[string]any{"slot": "1"},
		}).Extract()
		must(t, err)
		equal(t, "its address", made.Address, "52:54:00:aa:00:01")
		for _, opts := range []ports.ListOpts{{Node: "gophercloud-node"}, {NodeUUID: id}, {Address: made.Address}} {
			pages, err := ports.ListDetail(client, opts).AllPages(ctx)
			must(t, err)
			found, err := ports.ExtractPorts(pages)
			must(t, err)
			equal(t, "the number of ports", len(found), 1)
			equal(t, "its uuid", found[0].UUID, made.UUID)
		}
		updated, err := ports.Update(ctx, client, made.UUID, ports.UpdateOpts{
			ports.UpdateOperation{Op: ports.ReplaceOp, Path: "/extra", Value: map[string]any{"slot": "2"}},
		}).Extract()
		must(t, err)
		equal(t, "its slot", updated.Extra["slot"], any("2"))
		must(t, ports.Delete(ctx, client, made.UUID).ExtractErr())
		_, err = ports.Get(ctx, client, made.UUID).Extract()
		refused(t, err, 404)
	})
	t.Run("allocates it and releases it", func(t *testing.T) {
		made, err := allocations.Create(ctx, client, allocations.CreateOpts{
			Name:          "gophercloud-allocation",
			ResourceClass: "gophercloud",
			Extra:         map[string]string{"for": "test"},
		}).Extract()
		must(t, err)
		allocated(t, ctx, client, made.UUID, id)
		pages, err := allocations.List(client, allocations.ListOpts{ResourceClass: "gophercloud"}).AllPages(ctx)
		must(t, err)
		found, err := allocations.ExtractAllocations(pages)
		must(t, err)
		equal(t, "the number of allocations", len(found), 1)
		equal(t, "its note", found[0].Extra["for"], "test")
		must(t, allocations.Delete(ctx, client, made.UUID).ExtractErr())
		_, err = allocations.Get(ctx, client, made.UUID).Extract()
		refused(t, err, 404)
	})
	t.Run("gets 409 for a conflict", func(t *testing.T) {
		_, err := nodes.Create(ctx, client, nodes.CreateOpts{Name: "gophercloud-node", Driver: "fake-hardware"}).Extract()
		refused(t, err, 409)
	})
	t.Run("deletes it", func(t *testing.T) {
		must(t, nodes.Delete(ctx, client, id).ExtractErr())
		_, err := nodes.Get(ctx, client, id).Extract()
		refused(t, err, 404)
	})
}

# METADATA
# title: Authorization, every action for every caller
# description: Written by hand. A caller that is not named here is refused, and cannot see the resource unless it may read it.
package tenure.authz_table_test

import data.tenure.testing

system_readers := {
	"sys_admin sys_manager sys_member sys_reader": ["system_reader"],
	"sys_service": ["system_service"],
}

all_readers := object.union(system_readers, {"svc_elev": ["service_elevated"]})

owner_readers := object.union(all_readers, {
	"own_admin own_manager own_member own_reader": ["owner_reader"],
	"own_service": ["owner_service"],
})

node_readers := object.union(owner_readers, {"les_admin les_manager les_member les_reader": ["lessee_reader"]})

system_members := {"sys_admin sys_manager sys_member": ["system_member"]}

elevated_members := object.union(system_members, {"svc_elev": ["service_elevated"]})

all_members := object.union(elevated_members, {"sys_service": ["system_service"]})

owner_members := object.union(all_members, {"own_admin own_manager own_member": ["owner_member"]})

owner_members_and_service := object.union(owner_members, {"own_service": ["owner_service"]})

owner_managers_and_service := object.union(all_members, {
	"own_admin own_manager": ["owner_manager"],
	"own_service": ["owner_service"],
})

system_admins := {"sys_admin": ["system_admin"]}

# No service account has to do with leases.
lease_readers := {
	"sys_admin sys_manager sys_member sys_reader": ["system_reader"],
	"own_admin own_manager own_member own_reader": ["owner_reader"],
	"les_admin les_manager les_member les_reader": ["lessee_reader"],
}

lessees := "les_admin les_manager les_member les_reader"

project_readers := object.remove(lease_readers, ["sys_admin sys_manager sys_member sys_reader"])

lease_writers := object.union(system_members, {"own_admin own_manager own_member": ["owner_member"]})

everyone := {concat(" ", object.keys(testing.subjects)): ["public"]}

# Audience, the type of resource that the question names, and actions without "baremetal:", but for those of
# ironic-inspector and of Tenure itself, which have no such beginning.
audiences := [
	{"who": node_readers, "type": "node", "actions": [
		"node:get", "node:get_states", "node:get_indicator_state", "node:vif:list", "node:traits:list",
		"node:bios:get", "node:firmware:get", "node:vmedia:get",
	]},
	{"who": node_readers, "type": "port", "actions": ["port:get"]},
	{"who": node_readers, "type": "portgroup", "actions": ["portgroup:get"]},
	{"who": node_readers, "type": "volume", "actions": ["volume:get"]},
	{"who": owner_readers, "type": "node", "actions": [
		"node:get:driver_info", "node:get:driver_internal_info", "node:get:last_error", "node:get:reservation",
		"node:history:get", "node:inventory:get",
	]},
	{"who": all_readers, "type": "node", "actions": ["node:get:filter_threshold"]},
	{"who": all_readers, "type": "none", "actions": ["inspection_rule:get", "shards:get"]},
	{"who": system_readers, "type": "none", "actions": ["conductor:get", "deploy_template:get"]},
	{
		"who": {"sys_admin sys_manager sys_member sys_reader": ["system_reader"]},
		"type": "none",
		"actions": ["introspection:status", "introspection:data", "tenure:audit:read"],
	},
	{"who": system_readers, "type": "driver", "actions": [
		"driver:get", "driver:get_properties", "driver:get_raid_logical_disk_properties",
	]},
	{"who": system_readers, "type": "chassis", "actions": ["chassis:get"]},
	{"who": owner_members_and_service, "type": "node", "actions": [
		"node:set_maintenance", "node:clear_maintenance", "node:update:maintenance", "node:get_console",
		"node:set_console_state", "node:set_indicator_state", "node:set_raid_state", "node:update:driver_info",
		"node:update:instance_uuid", "node:update:lessee", "node:update:name", "node:update:network_data",
		"node:update:properties", "node:update:retired",
	]},
	{"who": owner_members, "type": "node", "actions": [
		"node:update:automated_clean", "node:update:protected", "node:update:resource_class",
	]},
	{
		"who": {
			"sys_admin sys_manager sys_member": ["system_member"],
			"own_admin own_manager own_member": ["owner_member"],
			"own_service": ["owner_service"],
		},
		"type": "node",
		"actions": ["node:use_in_handover"],
	},
	{
		"who": object.union(owner_members, {"les_admin les_manager les_member": ["lessee_member"]}),
		"type": "node",
		"actions": [
			"node:update", "node:update_extra", "node:set_power_state", "node:set_boot_mode",
			"node:set_secure_boot", "node:vmedia:attach", "node:vmedia:detach",
		],
	},
	{
		"who": object.union(owner_members_and_service, {"les_admin les_manager": ["lessee_manager"]}),
		"type": "node",
		"actions": [
			"node:validate", "node:set_provision_state",
			"node:set_provision_state:clean_steps", "node:set_provision_state:service_steps",
			"node:vif:attach", "node:vif:detach",
		],
	},
	{
		"who": object.union(owner_members_and_service, {"les_admin les_manager les_member": ["lessee_member"]}),
		"type": "node",
		"actions": ["node:update_instance_info"],
	},
	{
		"who": object.union(owner_members_and_service, {"les_admin les_manager": ["lessee_manager"]}),
		"type": "volume",
		"actions": ["volume:update"],
	},
	{
		"who": object.union(owner_managers_and_service, {"les_admin les_manager": ["lessee_manager"]}),
		"type": "volume",
		"actions": ["volume:create", "volume:delete"],
	},
	{
		"who": object.union(all_readers, {"own_admin les_admin": ["project_admin"]}),
		"type": "volume",
		"actions": ["volume:view_target_properties"],
	},
	{"who": owner_managers_and_service, "type": "node", "actions": [
		"node:get_boot_device", "node:set_boot_device", "node:inject_nmi", "node:update:driver_interfaces",
	]},
	{"who": owner_managers_and_service, "type": "port", "actions": ["port:update"]},
	{"who": owner_managers_and_service, "type": "portgroup", "actions": ["portgroup:update"]},
	{
		"who": object.union(system_admins, {"own_admin own_manager": ["owner_manager"]}),
		"type": "port",
		"actions": ["port:create", "port:delete", "portgroup:create", "portgroup:delete"],
	},
	{
		"who": object.union(system_members, {"own_admin own_manager": ["owner_manager"]}),
		"type": "node",
		"actions": ["node:traits:set", "node:traits:delete"],
	},
	{"who": system_members, "type": "node", "actions": ["node:update:owner"]},
	{"who": system_members, "type": "chassis", "actions": ["chassis:update"]},
	{"who": elevated_members, "type": "node", "actions": ["node:update:conductor_group", "node:update:parent_node"]},
	{"who": elevated_members, "type": "runbook", "actions": ["runbook:update:owner", "runbook:update:public"]},
	{"who": system_admins, "type": "node", "actions": [
		"node:delete", "node:disable_cleaning", "node:update:chassis_uuid", "node:update:disable_power_off",
		"node:update:shard", "node:update_owner_provisioned", "node:vendor_passthru",
	]},
	{"who": {}, "type": "node", "actions": ["node:delete:self_owned_node"]},
	{"who": system_admins, "type": "none", "actions": [
		"chassis:create", "chassis:delete", "deploy_template:create", "deploy_template:delete",
		"deploy_template:update", "driver:vendor_passthru", "events:post", "inspection_rule:create",
		"inspection_rule:delete", "inspection_rule:update", "introspection:abort", "introspection:reapply",
		"introspection:start", "node:create",
	]},
	{"who": everyone, "type": "none", "actions": [
		"driver:ipa_continue_inspection", "driver:ipa_lookup", "node:ipa_heartbeat",
	]},
	{
		"who": object.union(
			elevated_members,
			{"own_admin own_manager own_member": ["allocation_owner_member"]},
		),
		"type": "allocation",
		"actions": ["allocation:update", "allocation:delete"],
	},
	{
		"who": object.union(
			all_readers,
			{"own_admin own_manager own_member own_reader": ["allocation_owner_reader"]},
		),
		"type": "allocation",
		"actions": ["allocation:get"],
	},
	{
		"who": object.union(all_readers, {
			"own_admin own_manager own_member own_reader": ["runbook_owner_reader"],
			"own_service": ["runbook_owner_service"],
		}),
		"type": "runbook",
		"actions": ["runbook:get"],
	},
	{
		"who": object.union(all_members, {
			"own_admin own_manager": ["runbook_owner_manager"],
			"own_service": ["runbook_owner_service"],
		}),
		"type": "runbook",
		"actions": ["runbook:update", "runbook:delete", "runbook:use"],
	},
	{"who": lease_readers, "type": "lease", "actions": ["lease:get"]},
	{"who": lease_writers, "type": "lease", "actions": ["lease:create", "lease:update", "lease:delete"]},
	{"who": lease_readers, "type": "handover", "actions": ["handover:get:sealed_digest"]},
	{"who": project_readers, "type": "handover", "actions": ["handover:get:sealed"]},
	{"who": object.remove(lease_readers, [lessees]), "type": "handover", "actions": ["handover:get:hardware"]},
]

# Servers: servers_test.rego. Handovers: handovers_test.rego. Lists, and creates that fall back or set an owner: authz_test.rego, listing_test.rego.
elsewhere := {
	"node:create:self_owned_node", "allocation:create", "allocation:create_restricted",
	"allocation:create_pre_rbac", "runbook:create", "node:list", "node:list_all", "port:list", "port:list_all",
	"portgroup:list", "portgroup:list_all", "volume:list", "volume:list_all", "allocation:list",
	"allocation:list_all", "runbook:list", "runbook:list_all", "inspection_rule:list_all",
	"lease:list", "lease:list_all", "handover:get", "handover:list", "handover:list_all",
}

# Types of resources that can be hidden, and from whom.
hidden := {type: {
	"svc_plain", "les_service", "3rd_admin", "own_norole", "domain_admin", "unscoped_admin", "nobody",
} |
	some type in ["node", "port", "portgroup", "volume", "handover"]
}

hidden_from(type) := hidden[type] if {
	type in object.keys(hidden)
} else := {
	"svc_plain", "own_service", "les_admin", "les_manager", "les_member", "les_reader", "les_service",
	"3rd_admin", "own_norole", "domain_admin", "unscoped_admin", "nobody",
} if {
	type == "allocation"
} else := {
	"svc_plain", "les_admin", "les_manager", "les_member", "les_reader", "les_service",
	"3rd_admin", "own_norole", "domain_admin", "unscoped_admin", "nobody",
} if {
	type == "runbook"
} else := {
	"sys_service", "svc_elev", "svc_plain", "own_service", "les_service",
	"3rd_admin", "own_norole", "domain_admin", "unscoped_admin", "nobody",
} if {
	type == "lease"
} else := set()

full_name(action) := action if {
	some beginning in ["introspection:", "tenure:"]
	startswith(action, beginning)
} else := concat(":", ["baremetal", action])

creates := {"port:create", "portgroup:create", "volume:create", "lease:create"}

# What nova-compute calls: its account has a grant of its own there.
novas := {
	"node:get", "node:get:filter_threshold", "node:get:last_error", "node:get:driver_internal_info",
	"node:update:instance_uuid", "node:update_instance_info", "node:validate", "node:set_provision_state",
	"node:set_power_state", "node:vif:attach", "node:vif:detach", "node:get_console", "node:set_console_state",
	"node:inject_nmi", "volume:get", "volume:create", "volume:delete", "volume:view_target_properties",
}

expected(audience, action, name) := testing.granted(["nova_service"]) if {
	name in {"svc_elev", "sys_service"}
	action in novas
} else := testing.granted(grants) if {
	some names, grants in audience.who
	name in split(names, " ")
} else := testing.refused("not_visible", false, [full_name(action)]) if {
	not action in creates
	name in hidden_from(audience.type)
} else := testing.refused("not_granted", true, [full_name(action)])

# Every action on this type of resource.
requested[audience.type] contains action if {
	some audience in audiences
	some name in audience.actions
	action := full_name(name)
}

answers(name, type) := object.union(first, second) if {
	actions := sort(requested[type])
	first := testing.decide_all_as(name, {"actions": array.slice(actions, 0, 40), "resource": testing.resource(type)})
	second := testing.decide_all_as(name, {"actions": array.slice(actions, 40, 80), "resource": testing.resource(type)})
}

# What may be linked has tests of its own: obligations_test.rego.
linking := {
	"node:create", "node:update", "node:vif:attach", "port:create", "port:update", "portgroup:create",
	"portgroup:update", "volume:create", "volume:update",
}

# What heeds a handover has tests of its own, too.
but_for_links(action, decision) := object.remove(decision, ["fields", "conditions"]) if {
	not linking[action]
} else := object.union(object.remove(decision, ["fields", "conditions"]), {"filter": testing.no_filter})

as_written(name, types) if {
	decisions := {type: answers(name, type) | some type in types}
	every audience in [each | some each in audiences; each.type in types] {
		every action in audience.actions {
			decision := decisions[audience.type][full_name(action)]
			but_for_links(action, decision) == expected(audience, action, name)
		}
	}
}

# Two tests a caller, because a single test may take only a few seconds.
test_sys_admin_on_nodes if as_written("sys_admin", {"node"})

test_sys_admin_elsewhere if as_written("sys_admin", object.keys(requested) - {"node"})

test_sys_manager_on_nodes if as_written("sys_manager", {"node"})

test_sys_manager_elsewhere if as_written("sys_manager", object.keys(requested) - {"node"})

test_sys_member_on_nodes if as_written("sys_member", {"node"})

test_sys_member_elsewhere if as_written("sys_member", object.keys(requested) - {"node"})

test_sys_reader_on_nodes if as_written("sys_reader", {"node"})

test_sys_reader_elsewhere if as_written("sys_reader", object.keys(requested) - {"node"})

test_sys_service_on_nodes if as_written("sys_service", {"node"})

test_sys_service_elsewhere if as_written("sys_service", object.keys(requested) - {"node"})

test_svc_elev_on_nodes if as_written("svc_elev", {"node"})

test_svc_elev_elsewhere if as_written("svc_elev", object.keys(requested) - {"node"})

test_svc_plain_on_nodes if as_written("svc_plain", {"node"})

test_svc_plain_elsewhere if as_written("svc_plain", object.keys(requested) - {"node"})

test_own_admin_on_nodes if as_written("own_admin", {"node"})

test_own_admin_elsewhere if as_written("own_admin", object.keys(requested) - {"node"})

test_own_manager_on_nodes if as_written("own_manager", {"node"})

test_own_manager_elsewhere if as_written("own_manager", object.keys(requested) - {"node"})

test_own_member_on_nodes if as_written("own_member", {"node"})

test_own_member_elsewhere if as_written("own_member", object.keys(requested) - {"node"})

test_own_reader_on_nodes if as_written("own_reader", {"node"})

test_own_reader_elsewhere if as_written("own_reader", object.keys(requested) - {"node"})

test_own_service_on_nodes if as_written("own_service", {"node"})

test_own_service_elsewhere if as_written("own_service", object.keys(requested) - {"node"})

test_les_admin_on_nodes if as_written("les_admin", {"node"})

test_les_admin_elsewhere if as_written("les_admin", object.keys(requested) - {"node"})

test_les_manager_on_nodes if as_written("les_manager", {"node"})

test_les_manager_elsewhere if as_written("les_manager", object.keys(requested) - {"node"})

test_les_member_on_nodes if as_written("les_member", {"node"})

test_les_member_elsewhere if as_written("les_member", object.keys(requested) - {"node"})

test_les_reader_on_nodes if as_written("les_reader", {"node"})

test_les_reader_elsewhere if as_written("les_reader", object.keys(requested) - {"node"})

test_les_service_on_nodes if as_written("les_service", {"node"})

test_les_service_elsewhere if as_written("les_service", object.keys(requested) - {"node"})

test_third_admin_on_nodes if as_written("3rd_admin", {"node"})

test_third_admin_elsewhere if as_written("3rd_admin", object.keys(requested) - {"node"})

test_own_norole_on_nodes if as_written("own_norole", {"node"})

test_own_norole_elsewhere if as_written("own_norole", object.keys(requested) - {"node"})

test_domain_admin_on_nodes if as_written("domain_admin", {"node"})

test_domain_admin_elsewhere if as_written("domain_admin", object.keys(requested) - {"node"})

test_unscoped_admin_on_nodes if as_written("unscoped_admin", {"node"})

test_unscoped_admin_elsewhere if as_written("unscoped_admin", object.keys(requested) - {"node"})

test_nobody_on_nodes if as_written("nobody", {"node"})

test_nobody_elsewhere if as_written("nobody", object.keys(requested) - {"node"})

test_no_action_is_left_out if {
	named := {action | some audience in audiences; some action in audience.actions} | elsewhere
	baremetal := {action | some action, _ in data.tenure.actions; not startswith(action, "os_compute_api:")}
	{full_name(action) | some action in named} == baremetal
}

test_grants_of_the_table_are_all_in_the_catalogue if {
	used := {name | some row in data.tenure.actions; some name in row.grants}
	deprecated := {name | some row in data.tenure.actions; some name in row.legacy}
	count((used | deprecated) - object.keys(data.tenure.grants.catalogue)) == 0
}

test_actions_of_the_field_tables_and_resources_are_all_in_the_table if {
	writing := {action | some table in data.tenure.fields.tables; some action in table.write; action != null}
	viewing := {action | some table in data.tenure.fields.tables; some action in table.view}
	others := {action | some table in data.tenure.fields.tables; action := table.update}
	getting := {action | some row in data.tenure.resources; action := row.get}
	count((((writing | viewing) | others) | getting) - object.keys(data.tenure.actions)) == 0
}

# METADATA
# title: Fields, tests
# description: The fields of a node that each caller sees, and those that it cannot change.
package tenure.fields_test

import data.tenure.testing

always := ["chassis_uuid", "conductor", "conductor_group", "reservation"]

leased := [
	"chassis_uuid", "conductor", "conductor_group", "driver_info", "driver_internal_info", "last_error",
	"reservation",
]

masked(name, action) := decision.fields.masked if {
	decision := testing.decide_as(name, {"action": action, "resource": testing.resource("node")})
}

test_the_system_and_the_elevated_service_see_everything if {
	every name in ["sys_admin", "sys_manager", "sys_member", "sys_reader", "sys_service", "svc_elev"] {
		masked(name, "baremetal:node:get") == []
		masked(name, "baremetal:node:get_states") == []
	}
}

test_an_owner_sees_all_but_the_operators_own_business if {
	every name in ["own_admin", "own_manager", "own_member", "own_reader", "own_service"] {
		masked(name, "baremetal:node:get") == always
		masked(name, "baremetal:node:set_power_state") == always
	}
}

test_a_lessee_sees_no_driver_info_and_no_last_error if {
	every name in ["les_admin", "les_manager", "les_member", "les_reader"] {
		masked(name, "baremetal:node:get") == leased
		masked(name, "baremetal:node:get_states") == leased
	}
}

test_target_properties_are_for_admins_and_the_system if {
	volume_masks("own_admin") == []
	volume_masks("les_admin") == []
	volume_masks("sys_reader") == []
	volume_masks("own_manager") == ["properties"]
	volume_masks("les_reader") == ["properties"]
}

volume_masks(name) := decision.fields.masked if {
	decision := testing.decide_as(name, {"action": "baremetal:volume:get", "resource": testing.resource("volume")})
}

fixed := {
	"allocation_uuid", "boot_mode", "clean_step", "conductor", "console_enabled", "created_at", "deploy_step",
	"driver_internal_info", "fault", "health", "inspection_finished_at", "inspection_started_at", "last_error",
	"links", "portgroups", "ports", "power_state", "provision_state", "provision_updated_at", "raid_config",
	"reservation", "secure_boot", "service_step", "states", "target_power_state", "target_provision_state",
	"target_raid_config", "traits", "updated_at", "uuid", "volume",
}

of_the_operator := {"chassis_uuid", "disable_power_off", "shard"}

of_the_system := {"conductor_group", "owner", "parent_node"}

interfaces := {
	"driver", "bios_interface", "boot_interface", "console_interface", "deploy_interface", "firmware_interface",
	"inspect_interface", "management_interface", "network_interface", "power_interface", "raid_interface",
	"rescue_interface", "storage_interface", "vendor_interface",
}

of_the_owner := {
	"driver_info", "instance_uuid", "lessee", "maintenance", "maintenance_reason", "name", "network_data",
	"properties", "retired", "retired_reason",
}

of_owning_members := {"automated_clean", "protected", "protected_reason", "resource_class"}

of_users := {"description", "extra"}

read_only(name, action) := decision.fields.read_only if {
	decision := testing.decide_as(name, {"action": action, "resource": testing.resource("node")})
}

closed := {
	"sys_admin": fixed,
	"sys_member": (fixed | of_the_operator),
	"svc_elev": ((fixed | of_the_operator) | {"owner"}),
	"sys_service": ((fixed | of_the_operator) | of_the_system),
	"own_manager": ((fixed | of_the_operator) | of_the_system),
	"own_member": (((fixed | of_the_operator) | of_the_system) | interfaces),
	"own_service": ((((fixed | of_the_operator) | of_the_system) | of_owning_members) | of_users),
	"les_manager": (((((fixed | of_the_operator) | of_the_system) | interfaces) | of_the_owner) | of_owning_members),
	"les_member": (((((fixed | of_the_operator) | of_the_system) | interfaces) | of_the_owner) | of_owning_members),
	"les_reader": object.keys(data.tenure.fields.tables.node.write),
	"3rd_admin": object.keys(data.tenure.fields.tables.node.write),
}

test_read_only_is_what_an_update_would_not_change if {
	every name, names in closed {
		read_only(name, "baremetal:node:get") == sort(names)
		read_only(name, "baremetal:node:update") == sort(names)
	}
}

test_actions_that_change_no_field_do_not_say_what_is_read_only if {
	read_only("les_member", "baremetal:node:set_power_state") == []
}

accepted(name) := {field |
	some field in writable_fields
	decision := testing.decide_as(name, {
		"action": "baremetal:node:update",
		"resource": testing.resource("node"),
		"fields": [concat("", ["/", field])],
	})
	decision.allow
}

test_a_system_member_may_write_what_is_not_read_only if accepted("sys_member") == writable_fields - closed.sys_member

test_an_owner_member_may_write_what_is_not_read_only if accepted("own_member") == writable_fields - closed.own_member

test_an_owner_service_may_write_what_is_not_read_only if accepted("own_service") == writable_fields - closed.own_service

test_a_lessee_manager_may_write_what_is_not_read_only if accepted("les_manager") == writable_fields - closed.les_manager

test_a_lessee_reader_may_write_nothing if accepted("les_reader") == set()

writable_fields := {field | some field, action in data.tenure.fields.tables.node.write; action != null}

test_a_created_node_is_visible_as_to_its_owner if {
	decision := data.tenure.authz.decision with input as {
		"action": "baremetal:node:create",
		"subject": testing.subjects.own_admin,
		"resource": {"type": "none"},
	}
		with data.tenure.switches.project_admin_can_manage_own_nodes as true
	decision.fields == {"masked": always, "read_only": sort(((fixed | of_the_operator) | of_the_system))}
}

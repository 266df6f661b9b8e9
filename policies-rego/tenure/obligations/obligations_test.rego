# METADATA
# title: Obligations, tests
# description: The resources that may be linked, and the answers that rest on deprecated rules alone.
package tenure.obligations_test

import data.tenure.testing

# ---- Linkable

links := {
	"node": ["baremetal:node:update", "baremetal:node:vif:attach"],
	"port": ["baremetal:port:create", "baremetal:port:update", "baremetal:portgroup:create", "baremetal:portgroup:update"],
	"volume": ["baremetal:volume:create", "baremetal:volume:update"],
}

everything := {"mode": "all", "predicates": []}

always := ["chassis_uuid", "conductor", "conductor_group", "reservation"]

leased := [
	"chassis_uuid", "conductor", "conductor_group", "driver_info", "driver_internal_info", "last_error",
	"reservation",
]

owned_by(project) := {"field": "owner", "op": "eq", "value": project, "masked": always}

leased_by(project) := {"field": "lessee", "op": "eq", "value": project, "masked": leased}

belonging_to(project) := {"field": "project_id", "op": "eq", "value": project, "masked": []}

any_of(predicates) := {"mode": "any_of", "predicates": predicates}

linkable(name, type, action) := decision.filter if {
	decision := testing.decide_as(name, {"action": action, "resource": testing.resource(type)})
}

test_who_lists_every_node_links_to_anything if {
	every type, actions in links {
		every action in actions {
			linkable("sys_admin", type, action) == everything
		}
	}
	linkable("sys_service", "node", "baremetal:node:vif:attach") == everything
	linkable("svc_elev", "volume", "baremetal:volume:create") == everything
	testing.decide_as("sys_admin", {"action": "baremetal:node:create", "resource": {"type": "none"}}).filter == everything
}

test_a_project_links_to_its_nodes_vifs_and_volumes if {
	every type, actions in links {
		every action in actions {
			linkable("own_manager", type, action) == any_of([owned_by("p-owner"), leased_by("p-owner"), belonging_to("p-owner")])
		}
	}
	linkable("les_manager", "node", "baremetal:node:vif:attach") == any_of([
		owned_by("p-lessee"), leased_by("p-lessee"),
		belonging_to("p-lessee"),
	])
}

test_a_service_links_to_nodes_that_its_project_owns if {
	linkable("own_service", "node", "baremetal:node:vif:attach") == any_of([owned_by("p-owner"), belonging_to("p-owner")])
}

test_a_self_owned_node_is_linked_within_the_project if {
	decision := data.tenure.authz.decision with input as {
		"action": "baremetal:node:create",
		"subject": testing.subjects.own_admin,
		"resource": {"type": "none"},
	}
		with data.tenure.switches.project_admin_can_manage_own_nodes as true
	decision.filter == any_of([owned_by("p-owner"), leased_by("p-owner"), belonging_to("p-owner")])
}

test_a_refusal_names_nothing_to_link_to if {
	every name in ["sys_reader", "own_reader", "les_reader", "3rd_admin", "nobody"] {
		every type, actions in links {
			every action in actions {
				linkable(name, type, action) == testing.no_filter
			}
		}
	}
	linkable("les_member", "node", "baremetal:node:vif:attach") == testing.no_filter
	linkable("own_member", "port", "baremetal:port:create") == testing.no_filter
}

test_actions_that_link_nothing_have_no_filter if {
	every action in ["baremetal:node:get", "baremetal:node:set_power_state", "baremetal:node:vif:detach"] {
		linkable("own_admin", "node", action) == testing.no_filter
		linkable("sys_admin", "node", action) == testing.no_filter
	}
}

test_who_lists_no_node_links_within_its_project_or_to_nothing if {
	attach := {"action": "baremetal:node:vif:attach", "resource": testing.resource("node")}
	project := data.tenure.authz.decision with input as object.union(attach, {"subject": testing.subjects.own_member})
		with data.tenure.actions["baremetal:node:list"].grants as []
	project.filter == any_of([belonging_to("p-owner")])
	system := data.tenure.authz.decision with input as object.union(attach, {"subject": testing.subjects.sys_member})
		with data.tenure.actions["baremetal:node:list_all"].grants as []
	system.allow == true
	system.filter == testing.no_filter
}

# ---- Deprecated

old(subject, question) := answer if {
	request := object.union({"resource": testing.resource("node"), "subject": subject}, question)
	answer := data.tenure.authz.decision with input as request with data.tenure.switches.enforce_new_defaults as false
}

once_admin := testing.project("p-third", "admin")

once_observer := object.union(testing.project("5f", "baremetal_observer"), {"project_name": "baremetal"})

test_an_answer_that_rests_on_deprecated_rules_alone_says_so if {
	old(once_admin, {"action": "baremetal:node:set_power_state"}).deprecated == ["legacy_admin"]
	old(once_observer, {"action": "baremetal:node:get"}).deprecated == ["legacy_observer"]
	old(once_admin, {"action": "baremetal:node:create", "resource": {"type": "none"}}).deprecated == ["legacy_admin"]
	old(testing.subjects.own_member, {
		"action": "baremetal:node:update",
		"fields": ["/automated_clean"],
		"requested": {"automated_clean": false},
	}).deprecated == ["owner_member"]
}

test_a_list_says_so_too if {
	nodes := {"action": "baremetal:node:list", "resource": {"type": "none"}}
	old(once_observer, nodes).deprecated == ["legacy_observer"]
	not old(testing.subjects.sys_reader, nodes).deprecated
	not old(testing.subjects.own_reader, nodes).deprecated
}

test_seeing_the_resource_by_deprecated_rules_counts if {
	properties := {"action": "baremetal:volume:view_target_properties", "resource": testing.resource("volume")}
	old(once_admin, properties).grants == ["legacy_admin", "project_admin"]
	old(once_admin, properties).deprecated == ["legacy_admin"]
	not old(testing.subjects.own_admin, properties).deprecated
}

test_one_field_that_needs_them_is_enough if {
	old(testing.subjects.own_admin, update(["/extra", "/owner"])).deprecated == ["legacy_admin"]
	not old(testing.subjects.own_admin, update(["/extra", "/driver_info"])).deprecated
}

update(fields) := {"action": "baremetal:node:update", "fields": fields}

test_what_is_granted_anyway_is_not_deprecated if {
	every name in ["sys_admin", "own_admin", "own_member"] {
		not old(testing.subjects[name], {"action": "baremetal:node:set_power_state"}).deprecated
	}
}

test_a_refusal_and_the_new_defaults_know_nothing_deprecated if {
	not old(once_observer, {"action": "baremetal:node:set_power_state"}).deprecated
	not testing.decide_as("own_admin", {"action": "baremetal:node:set_power_state", "resource": testing.resource("node")}).deprecated
	not testing.decide_as("sys_reader", {"action": "baremetal:node:list", "resource": {"type": "none"}}).deprecated
}

test_an_overridden_row_has_nothing_deprecated if {
	answer := data.tenure.authz.decision with input as {
		"action": "baremetal:conductor:get",
		"subject": once_admin,
		"resource": {"type": "none"},
	}
		with data.tenure.switches.enforce_new_defaults as false
		with data.tenure.custom.overridden as {"baremetal:conductor:get"}
		with data.tenure.custom.granted as true
	answer.grants == ["custom"]
	not answer.deprecated
}

# ---- While a node is handed over

using := [
	"baremetal:node:set_power_state", "baremetal:node:set_provision_state", "baremetal:node:set_boot_mode",
	"baremetal:node:vif:attach", "baremetal:node:vmedia:attach",
]

until_handed_over := {"field": "handover_uuid", "op": "null", "action": "baremetal:node:use_in_handover"}

type_of(action) := "vif" if {
	contains(action, ":vif:")
} else := "vmedia" if {
	contains(action, ":vmedia:")
} else := "node"

conditions_on(name, action) := object.get(decision, "conditions", []) if {
	decision := testing.decide_as(name, {"action": action, "resource": testing.resource(type_of(action))})
	decision.allow
}

test_a_lessee_uses_a_machine_only_once_it_is_handed_over if {
	every action in using {
		conditions_on("les_manager", action) == [until_handed_over]
	}
	conditions_on("les_member", "baremetal:node:set_power_state") == [until_handed_over]
}

test_services_of_tenants_wait_for_the_handover_too if {
	conditions_on("sys_service", "baremetal:node:set_power_state") == [until_handed_over]
	conditions_on("svc_elev", "baremetal:node:set_provision_state") == [until_handed_over]
}

test_owner_and_system_may_mend_what_is_in_the_way if {
	every action in using {
		every name in ["sys_admin", "sys_member", "own_manager", "own_member"] {
			conditions_on(name, action) == []
		}
	}
	conditions_on("own_service", "baremetal:node:set_provision_state") == []
}

test_what_a_former_tenant_attached_is_not_read_before_the_handover_is_complete if {
	action := "baremetal:node:vmedia:get"
	conditions_on("les_reader", action) == [until_handed_over]
	conditions_on("sys_service", action) == [until_handed_over]
	conditions_on("own_member", action) == []
	conditions_on("sys_member", action) == []
}

test_reading_and_changing_the_record_do_not_wait_for_the_handover if {
	conditions_on("les_reader", "baremetal:node:get") == []
	every field in ["/extra", "/instance_info", "/description"] {
		question := {"action": "baremetal:node:update", "resource": testing.resource("node"), "fields": [field]}
		not testing.decide_as("les_manager", question).conditions
	}
}

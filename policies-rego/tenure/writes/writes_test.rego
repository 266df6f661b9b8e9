# METADATA
# title: Writes, tests
# description: Parts of a request that need actions of their own, and that no caller writes a field that it does not see.
package tenure.writes_test

import data.tenure.testing

# ---- Another provision state

provision(name, fields) := object.remove(
	testing.decide_as(name, {
		"action": "baremetal:node:set_provision_state",
		"resource": testing.resource("node"),
		"fields": fields,
	}),
	["fields"],
)

without(name, refused_action, fields) := object.remove(answer, ["fields"]) if {
	answer := data.tenure.authz.decision with input as {
		"action": "baremetal:node:set_provision_state",
		"subject": testing.subjects[name],
		"resource": testing.resource("node"),
		"fields": fields,
	}
		with data.tenure.actions as object.union(data.tenure.actions, {refused_action: {"grants": ["system_admin"]}})
}

general := "baremetal:node:set_provision_state"

clean := "baremetal:node:set_provision_state:clean_steps"

service := "baremetal:node:set_provision_state:service_steps"

test_who_may_provision_may_name_steps_by_default if {
	every fields in [[], ["/target"], ["/target", "/clean_steps"], ["/target", "/service_steps/0"], ["/target", "/configdrive"]] {
		provision("own_member", fields) == testing.granted(["owner_member"])
		object.remove(provision("les_manager", fields), ["conditions"]) == testing.granted(["lessee_manager"])
		provision("own_reader", fields) == testing.refused("not_granted", true, [general])
		provision("les_member", fields) == testing.refused("not_granted", true, [general])
		provision("3rd_admin", fields) == testing.refused("not_visible", false, [general])
	}
}

test_steps_need_their_own_action if {
	without("own_member", clean, ["/target", "/clean_steps"]) == testing.refused("not_granted", true, [clean])
	without("own_member", service, ["/target", "/service_steps"]) == testing.refused("not_granted", true, [service])
	without("own_member", clean, ["/target", "/service_steps"]) == testing.granted(["owner_member"])
	without("own_member", service, ["/target", "/clean_steps"]) == testing.granted(["owner_member"])
	without("own_member", clean, ["/target", "/rescue_password"]) == testing.granted(["owner_member"])
}

# ---- A lease

lease(name, actions) := object.remove(answer, ["fields"]) if {
	answer := data.tenure.authz.decision with input as {
		"action": "baremetal:lease:create",
		"subject": testing.subjects[name],
		"resource": testing.resource("lease"),
		"fields": ["/node_uuid", "/lessee", "/end_time"],
	}
		with data.tenure.actions as object.union(data.tenure.actions, actions)
}

test_who_may_not_write_the_lessee_gives_no_lease if {
	by_hand := "baremetal:node:update:lessee"
	lease("own_member", {}) == testing.granted(["owner_member"])
	closed := {by_hand: {"grants": ["system_admin"]}}
	lease("own_member", closed) == testing.refused("not_granted", true, [by_hand])
	lease("sys_admin", closed) == testing.granted(["system_admin", "system_member"])
}

test_steps_need_the_general_action_too if {
	without("own_member", general, ["/clean_steps"]) == testing.refused("not_granted", true, [general])
	without("own_member", general, ["/service_steps"]) == testing.refused("not_granted", true, [general])
}

test_a_request_with_a_bad_pointer_is_refused if {
	provision("sys_admin", ["/target", "clean_steps"]) == testing.refused("malformed_question", true, [general])
}

test_an_answer_about_provisioning_masks_the_node_and_says_which_parts_are_refused if {
	answer := testing.decide_as("les_reader", {"action": general, "resource": testing.resource("node")})
	answer.fields == {
		"masked": [
			"chassis_uuid", "conductor", "conductor_group", "driver_info", "driver_internal_info", "last_error",
			"reservation",
		],
		"read_only": [
			"clean_steps", "configdrive", "deploy_steps", "disable_ramdisk", "lessee", "rescue_password", "service_steps",
			"target",
		],
	}
}

_deployment_of(name) := testing.decide_as(name, {"action": general, "resource": testing.resource("node")})

test_a_deployment_sets_the_lessee_for_who_may_write_it if {
	every name in ["sys_admin", "sys_member", "sys_service", "svc_elev", "own_admin", "own_member", "own_service"] {
		not "lessee" in _deployment_of(name).fields.read_only
	}
	every name in ["sys_reader", "own_reader", "les_admin", "les_manager", "les_member", "les_service", "3rd_admin"] {
		not testing.decide_as(name, {
			"action": "baremetal:node:update",
			"resource": testing.resource("node"),
			"fields": ["/lessee"],
		}).allow
		_sets_no_lessee(_deployment_of(name))
	}
}

_sets_no_lessee(answer) if not answer.allow

_sets_no_lessee(answer) if "lessee" in answer.fields.read_only

_instance_project_of(name) := testing.decide_as(name, {
	"action": "baremetal:node:update",
	"resource": testing.resource("node"),
	"fields": ["/instance_info", "/lessee"],
})

test_to_write_the_project_of_an_instance_is_to_write_the_lessee if {
	every name in ["sys_member", "svc_elev", "own_member", "own_service"] {
		_instance_project_of(name).allow
	}
	every name in ["les_member", "les_manager", "les_admin"] {
		answer := _instance_project_of(name)
		answer.allow == false
		answer.visible == true
		answer.denied == ["baremetal:node:update:lessee"]
	}
}

# ---- Volume targets

volume(name, action, fields) := testing.decide_as(name, {
	"action": action,
	"resource": testing.resource("volume"),
	"fields": fields,
})

test_target_properties_are_changed_by_callers_that_see_them if {
	every name in ["sys_member", "sys_service", "svc_elev", "own_admin", "les_admin"] {
		volume(name, "baremetal:volume:update", ["/volume_id", "/properties/target_iqn"]).allow
	}
	every name in ["own_manager", "les_manager", "own_service"] {
		volume(name, "baremetal:volume:update", ["/volume_id", "/boot_index"]).allow
		refusal := volume(name, "baremetal:volume:update", ["/volume_id", "/properties"])
		refusal.allow == false
		refusal.denied == ["baremetal:volume:view_target_properties"]
		refusal.fields == {
			"masked": ["properties"],
			"read_only": ["created_at", "links", "properties", "updated_at", "uuid"],
		}
	}
}

test_a_target_is_created_with_properties_by_who_may_create_it if {
	every name in ["sys_member", "svc_elev", "own_admin", "own_manager", "own_service", "les_manager"] {
		answer := volume(name, "baremetal:volume:create", ["/volume_id", "/properties"])
		answer.allow
	}
	volume("own_manager", "baremetal:volume:create", ["/properties"]).fields.masked == ["properties"]
	volume("own_member", "baremetal:volume:create", ["/properties"]).allow == false
}

test_the_refusal_of_all_writes_comes_first if {
	volume("les_member", "baremetal:volume:update", ["/properties"]).denied == ["baremetal:volume:update"]
	volume("own_reader", "baremetal:volume:create", ["/properties"]).denied == ["baremetal:volume:create"]
}

# ---- Masked implies read-only

switches := [object.union(data.tenure.switches, given) |
	some given in [
		{}, {"enforce_new_defaults": false}, {"enforce_scope": false}, {"project_admin_can_manage_own_nodes": true},
		{"rbac_service_role_elevated_access": true}, {"enforce_scope": false, "enforce_new_defaults": false},
	]
]

updates := {"node": "baremetal:node:update", "volume": "baremetal:volume:update", "runbook": "baremetal:runbook:update"}

# Fields that the caller could write although it does not see them.
blind(subject, type, action) := {field |
	some field, _ in data.tenure.fields.tables[type].view
	answer := testing.decide({
		"action": action,
		"subject": subject,
		"resource": testing.resource(type),
		"fields": [concat("", ["/", field])],
	})
	field in answer.fields.masked
	answer.allow
}

# Fields that are masked, that some caller writes, and that are not said to be read-only.
unmarked(subject, type, action) := masked - {field | some field in answer.fields.read_only} if {
	answer := testing.decide({"action": action, "subject": subject, "resource": testing.resource(type)})
	masked := {field | some field in answer.fields.masked; _ = data.tenure.fields.tables[type].write[field]}
}

callers := object.union(testing.subjects, {
	"old_admin": object.union(testing.project("baremetal", "baremetal_admin"), {"project_name": "baremetal"}),
	"old_observer": object.union(testing.project("baremetal", "baremetal_observer"), {"project_name": "baremetal"}),
	"both_member": testing.project("p-owner", "member"),
})

nobody_writes_unseen(given) if {
	every subject in callers {
		every type, action in updates {
			count(blind(subject, type, action)) == 0 with data.tenure.switches as given
			count(unmarked(subject, type, action)) == 0 with data.tenure.switches as given
		}
	}
}

# Several tests: one of them all would take longer than opa gives a test.
test_nobody_writes_a_field_that_it_does_not_see if nobody_writes_unseen(switches[0])

test_nobody_writes_a_field_that_it_does_not_see_by_deprecated_rules if nobody_writes_unseen(switches[1])

test_nobody_writes_a_field_that_it_does_not_see_without_scopes if nobody_writes_unseen(switches[2])

test_nobody_writes_a_field_that_it_does_not_see_on_own_nodes if nobody_writes_unseen(switches[3])

test_nobody_writes_a_field_that_it_does_not_see_as_elevated_service if nobody_writes_unseen(switches[4])

test_nobody_writes_a_field_that_it_does_not_see_by_deprecated_rules_without_scopes if nobody_writes_unseen(switches[5])

test_an_overlay_cannot_let_somebody_write_a_field_that_it_does_not_see if {
	answer := data.tenure.authz.decision with input as {
		"action": "baremetal:node:update",
		"subject": testing.subjects.les_member,
		"resource": testing.resource("node"),
		"fields": ["/extra", "/driver_info/redfish_address"],
	}
		with data.tenure.actions["baremetal:node:update:driver_info"].grants as ["lessee_member"]
	answer.allow == false
	answer.denied == ["baremetal:node:get:driver_info"]
	"driver_info" in answer.fields.read_only
}

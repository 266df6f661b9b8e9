# METADATA
# title: Authorization, tests
# description: Fall-backs, creates, updates, odd questions; whole decisions, written by hand.
package tenure.authz_test

import data.tenure.testing

malformed := {
	"allow": false,
	"visible": false,
	"reason": "malformed_question",
	"grants": [],
	"denied": [],
	"filter": {"mode": "none", "predicates": []},
	"fields": {"masked": [], "read_only": []},
	"set": {},
}

verdict(decision) := object.remove(decision, ["fields"])

# What may be linked has tests of its own: obligations_test.rego.
but_for_links(decision) := object.union(verdict(decision), {"filter": testing.no_filter})

nodes_of(project) := {"mode": "any_of", "predicates": [
	{"field": "owner", "op": "eq", "value": project, "masked": []},
	{"field": "lessee", "op": "eq", "value": project, "masked": []},
]}

every_node := {"mode": "all", "predicates": []}

# ---- Always an answer

odd := [
	null, true, false, 0, 3.5, "", "baremetal:node:list", [], [1], {}, {"action": null}, {"action": 7},
	{"action": ["baremetal:node:list"]}, {"subject": {}}, {"resource": {"type": "node"}},
	{"action": "baremetal:node:list", "resource": "node"},
	{"action": "baremetal:node:list", "resource": false},
	{"action": "baremetal:node:list", "resource": []},
	{"action": "baremetal:node:list", "resource": {"type": "toaster"}},
	{"action": "baremetal:node:list", "resource": {"type": 5}},
	{"action": "baremetal:node:list", "resource": {"type": ""}},
	{"action": "baremetal:node:list", "fields": "/owner"},
	{"action": "baremetal:node:list", "fields": false},
	{"action": "baremetal:node:list", "fields": {"0": "/owner"}},
	{"action": "baremetal:node:list", "requested": "owner"},
	{"action": "baremetal:node:list", "requested": []},
	{"action": "baremetal:node:list", "requested": {"owner": 5}},
	{"action": "baremetal:node:list", "requested": {"owner": false}},
]

test_what_is_no_question_is_refused if {
	every question in odd {
		testing.decide(question) == malformed
	}
}

test_no_input_is_refused if {
	data.tenure.authz.decision == malformed
	data.tenure.authz.batch == {}
}

test_an_unknown_action_is_refused_to_everyone if {
	every action in ["", "baremetal:node:explode", "baremetal:node:list ", "BAREMETAL:NODE:LIST"] {
		decision := testing.decide_as("sys_admin", {"action": action, "resource": {"type": "none"}})
		decision == object.union(malformed, {"reason": "unknown_action"})
	}
}

test_keys_it_does_not_know_do_not_matter if {
	plain := {"action": "baremetal:node:get", "resource": testing.resource("node")}
	noisy := object.union(plain, {"allow": true, "resource": {"extra": [1]}, "requested": {"system_scope": "all"}})
	testing.decide_as("les_member", noisy) == testing.decide_as("les_member", plain)
}

test_a_question_without_resource_is_about_none if {
	every resource in [{}, {"type": null}, null] {
		question := {"action": "baremetal:conductor:get", "resource": resource}
		testing.decide_as("sys_reader", question).reason == "granted"
	}
}

# ---- A null owner matches no caller

test_null_owner_is_not_the_project_of_a_token_without_one if {
	every resource in [{"type": "node"}, {"type": "node", "owner": null, "lessee": null}] {
		every subject in [
			{"roles": ["admin"]},
			{"project_id": null, "roles": ["admin"]},
			{"project_id": "", "roles": ["admin"]},
			{"project_id": "None", "roles": ["admin"]},
		] {
			decision := testing.decide({"action": "baremetal:node:get", "subject": subject, "resource": resource})
			verdict(decision) == testing.refused("not_visible", false, ["baremetal:node:get"])
		}
	}
}

test_an_empty_owner_is_nobody if {
	decision := testing.decide({
		"action": "baremetal:node:delete",
		"subject": {"project_id": "", "roles": ["admin"]},
		"resource": {"type": "node", "owner": "", "lessee": ""},
	})
	verdict(decision) == testing.refused("not_visible", false, ["baremetal:node:delete"])
}

test_an_invisible_resource_is_not_allowed_even_if_a_grant_matches if {
	row := {"kind": "item", "grants": ["project_reader"]}
	actions := object.union(data.tenure.actions, {"baremetal:node:validate": row})
	decision := data.tenure.authz.decision with input as {
		"action": "baremetal:node:validate",
		"subject": testing.project("p-third", "admin"),
		"resource": testing.resource("node"),
	}
		with data.tenure.actions as actions
	verdict(decision) == testing.refused("not_visible", false, ["baremetal:node:validate"])
}

test_an_item_that_is_no_resource_is_not_hidden if {
	question := {"action": "baremetal:volume:get", "resource": {"type": "none"}}
	verdict(testing.decide_as("sys_reader", question)) == testing.granted(["system_reader"])
	verdict(testing.decide_as("own_admin", question)) == testing.refused("not_granted", true, ["baremetal:volume:get"])
}

test_a_row_of_no_kind_is_taken_for_an_item if {
	actions := {
		"baremetal:node:get": {"kind": "item", "grants": ["owner_reader"]},
		"x:y": {"grants": ["project_reader"]},
	}
	question := {"action": "x:y", "resource": testing.resource("node")}
	seen := data.tenure.authz.decision with data.tenure.actions as actions
		with input as object.union(question, {"subject": testing.subjects.own_reader})
	verdict(seen) == testing.granted(["project_reader"])
	unseen := data.tenure.authz.decision with data.tenure.actions as actions
		with input as object.union(question, {"subject": testing.subjects.les_reader})
	verdict(unseen) == testing.refused("not_visible", false, ["x:y"])
}

test_what_the_body_asks_for_does_not_make_an_owner if {
	question := {
		"action": "baremetal:volume:create",
		"resource": testing.resource("volume"),
		"requested": {"owner": "p-lessee"},
	}
	but_for_links(testing.decide_as("les_admin", question)) == testing.granted(["lessee_manager"])
	verdict(testing.decide_as("3rd_admin", object.union(question, {"requested": {"owner": "p-third"}}))) == testing.refused("not_granted", true, ["baremetal:volume:create"])
}

# ---- Allocations (spec 000)

allocate(name, body) := verdict(testing.decide_as(name, {
	"action": "baremetal:allocation:create",
	"resource": {"type": "none"},
	"requested": body,
}))

unrestricted(grants, filter) := object.union(testing.granted(grants), {"filter": filter})

test_unrestricted_allocations_keep_the_owner_they_ask_for if {
	allocate("sys_member", {}) == unrestricted(["system_member"], every_node)
	allocate("sys_admin", {"owner": null}) == unrestricted(["system_member"], every_node)
	allocate("svc_elev", {"owner": "p-x"}) == unrestricted(["service_elevated"], nodes_of("p-x"))
}

test_an_allocation_for_an_empty_owner_finds_no_node if {
	allocate("sys_admin", {"owner": ""}) == unrestricted(["system_member"], testing.no_filter)
}

own_allocation := object.union(testing.granted(["project_member"]), {
	"filter": nodes_of("p-owner"),
	"set": {"owner": "p-owner"},
})

test_restricted_allocations_belong_to_the_project_of_the_caller if {
	every name in ["own_admin", "own_manager", "own_member"] {
		allocate(name, {}) == own_allocation
		allocate(name, {"owner": null}) == own_allocation
		allocate(name, {"owner": "p-owner"}) == own_allocation
	}
}

restricted := ["baremetal:allocation:create_restricted"]

test_a_foreign_owner_is_refused if {
	every owner in ["p-lessee", "", "P-OWNER"] {
		allocate("own_admin", {"owner": owner}) == testing.refused("owner_mismatch", true, restricted)
	}
}

test_an_allocation_needs_a_member_and_a_project if {
	every name in ["sys_reader", "sys_service", "own_reader", "own_service", "own_norole", "svc_plain"] {
		allocate(name, {}) == testing.refused("not_granted", true, restricted)
	}
	every name in ["unscoped_admin", "domain_admin", "nobody"] {
		allocate(name, {}) == testing.refused("no_project", true, restricted)
	}
}

test_create_restricted_requested_directly if {
	question := {"action": "baremetal:allocation:create_restricted", "resource": {"type": "none"}}
	verdict(testing.decide_as("own_member", question)) == own_allocation
	verdict(testing.decide_as("sys_member", question)) == unrestricted(["system_member"], every_node)
	verdict(testing.decide_as("own_reader", question)) == testing.refused("not_granted", true, restricted)
}

test_an_overlay_cannot_lift_the_restriction_by_naming_others if {
	row := object.union(data.tenure.actions["baremetal:allocation:create_restricted"], {"grants": ["system_reader"]})
	decision := data.tenure.authz.decision with input as {
		"action": "baremetal:allocation:create",
		"subject": testing.system("reader"),
	}
		with data.tenure.actions["baremetal:allocation:create_restricted"] as row
	verdict(decision) == testing.refused("no_project", true, restricted)
}

# ---- Nodes: create and delete

manage_own := object.union(data.tenure.switches, {"project_admin_can_manage_own_nodes": true})

create(subject, question, switches) := answer if {
	request := object.union({"action": "baremetal:node:create", "resource": {"type": "none"}, "subject": subject}, question)
	answer := but_for_links(data.tenure.authz.decision) with input as request with data.tenure.switches as switches
}

self_owned := ["baremetal:node:create:self_owned_node"]

own_node := object.union(testing.granted(["project_admin"]), {"set": {"owner": "p-owner"}})

test_only_a_system_admin_creates_nodes_by_default if {
	create(testing.subjects.sys_admin, {}, data.tenure.switches) == testing.granted(["system_admin"])
	every name in ["sys_manager", "sys_service", "own_admin", "own_service", "nobody"] {
		create(testing.subjects[name], {}, data.tenure.switches) == testing.refused("not_granted", true, ["baremetal:node:create"])
	}
}

test_with_the_switch_a_project_admin_creates_nodes_of_its_own if {
	every owner in [null, "p-owner"] {
		question := {"fields": ["/driver", "/owner", "/lessee"], "requested": {"owner": owner}}
		create(testing.subjects.own_admin, question, manage_own) == object.union(own_node, {"grants": ["owner_manager", "owner_member", "project_admin"]})
	}
	create(testing.subjects.own_admin, {}, manage_own) == own_node
}

test_with_the_switch_nobody_else_does if {
	every name in ["sys_manager", "sys_service", "own_manager", "own_service"] {
		create(testing.subjects[name], {}, manage_own) == testing.refused("not_granted", true, self_owned)
	}
	create(testing.subjects.unscoped_admin, {}, manage_own) == testing.refused("no_project", true, self_owned)
	create(testing.subjects.own_admin, {"requested": {"owner": "p-third"}}, manage_own) == testing.refused("owner_mismatch", true, self_owned)
}

test_a_create_follows_the_field_rules_of_a_patch if {
	question := {
		"fields": ["/name", "/shard", "/conductor_group", "/disable_power_off", "/parent_node", "/chassis_uuid"],
		"requested": {"automated_clean": false},
	}
	create(testing.subjects.own_admin, question, manage_own) == testing.refused("not_granted", true, [
		"baremetal:node:update:shard", "baremetal:node:update:conductor_group",
		"baremetal:node:update:disable_power_off", "baremetal:node:update:parent_node",
		"baremetal:node:update:chassis_uuid", "baremetal:node:disable_cleaning",
	])
	create(testing.subjects.sys_admin, question, manage_own).allow
}

test_a_create_by_others_is_judged_by_the_owner_it_asks_for if {
	row := object.union(data.tenure.actions["baremetal:node:create"], {"grants": ["project_member"]})
	actions := object.union(data.tenure.actions, {"baremetal:node:create": row})
	question := {
		"action": "baremetal:node:create",
		"subject": testing.project("p-owner", "member"),
		"fields": ["/name"],
	}
	mine := data.tenure.authz.decision with input as object.union(question, {"requested": {"owner": "p-owner"}})
		with data.tenure.actions as actions
	but_for_links(mine) == testing.granted(["owner_member", "project_member"])
	theirs := data.tenure.authz.decision with input as object.union(question, {"requested": {"owner": "p-third"}})
		with data.tenure.actions as actions
	verdict(theirs) == testing.refused("not_granted", true, ["baremetal:node:update:name"])
	nobodys := data.tenure.authz.decision with input as question with data.tenure.actions as actions
	verdict(nobodys) == testing.refused("not_granted", true, ["baremetal:node:update:name"])
}

delete(subject, switches) := answer if {
	question := {"action": "baremetal:node:delete", "subject": subject, "resource": testing.resource("node")}
	answer := verdict(data.tenure.authz.decision) with input as question with data.tenure.switches as switches
}

test_with_the_switch_an_owner_admin_deletes_its_node if {
	delete(testing.subjects.own_admin, manage_own) == testing.granted(["owner_admin"])
	delete(testing.subjects.sys_admin, manage_own) == testing.granted(["system_admin"])
	delete(testing.subjects.own_admin, data.tenure.switches) == testing.refused("not_granted", true, ["baremetal:node:delete"])
	every name in ["own_manager", "own_service", "les_admin", "sys_service", "sys_member"] {
		delete(testing.subjects[name], manage_own) == testing.refused("not_granted", true, ["baremetal:node:delete:self_owned_node"])
	}
	delete(testing.subjects["3rd_admin"], manage_own) == testing.refused("not_visible", false, ["baremetal:node:delete"])
}

# ---- Runbooks

runbook(name, question) := verdict(testing.decide_as(name, object.union(
	{"action": "baremetal:runbook:create", "resource": {"type": "none"}},
	question,
)))

test_project_managers_create_runbooks_of_their_own if {
	runbook("own_manager", {"fields": ["/name", "/owner"]}) == object.union(
		testing.granted(["project_manager", "runbook_owner_manager"]),
		{"set": {"owner": "p-owner"}},
	)
	runbook("own_manager", {"fields": ["/public"]}) == testing.refused("not_granted", true, ["baremetal:runbook:update:public"])
	runbook("own_manager", {"requested": {"owner": "p-third"}}) == testing.refused("owner_mismatch", true, ["baremetal:runbook:create"])
	runbook("own_member", {}) == testing.refused("not_granted", true, ["baremetal:runbook:create"])
	runbook("sys_member", {"requested": {"owner": "p-third"}}) == testing.granted(["system_member"])
}

test_a_public_runbook_is_read_by_every_project if {
	question := {
		"action": "baremetal:runbook:get",
		"resource": {"type": "runbook", "owner": "p-owner", "public": true},
	}
	every name in ["3rd_admin", "les_reader", "les_service"] {
		verdict(testing.decide_as(name, question)) == testing.granted(["runbook_public"])
	}
	every name in ["unscoped_admin", "own_norole", "domain_admin"] {
		verdict(testing.decide_as(name, question)) == testing.refused("not_visible", false, ["baremetal:runbook:get"])
	}
	private := {"action": "baremetal:runbook:get", "resource": {"type": "runbook", "owner": "p-owner", "public": "yes"}}
	testing.decide_as("3rd_admin", private).visible == false
}

# ---- Updates

update(name, fields) := but_for_links(testing.decide_as(name, {
	"action": "baremetal:node:update",
	"resource": testing.resource("node"),
	"fields": fields,
}))

test_an_update_needs_the_action_of_every_field if {
	update("own_member", ["/extra/a", "/driver_info/redfish_password", "/instance_info"]) == testing.granted(["owner_member"])
	update("own_service", ["/driver_info", "/instance_uuid"]) == testing.granted(["owner_service"])
	update("own_service", ["/driver_info", "/description"]) == testing.refused("not_granted", true, ["baremetal:node:update"])
	update("les_member", ["/extra", "/instance_info"]) == testing.granted(["lessee_member"])
}

test_every_refused_action_is_named_once_and_the_general_one_last if {
	update("les_reader", ["/description", "/owner", "/extra/a", "/extra/b", "/foo", "/owner"]) == testing.refused("not_granted", true, [
		"baremetal:node:update:owner", "baremetal:node:update_extra", "tenure:field:unlisted", "baremetal:node:update",
	])
}

test_a_lessee_may_not_touch_what_the_verb_refuses if {
	every name in ["les_admin", "les_manager", "les_member"] {
		update(name, ["/maintenance"]) == testing.refused("not_granted", true, ["baremetal:node:update:maintenance"])
		update(name, ["/protected", "/protected_reason"]) == testing.refused("not_granted", true, ["baremetal:node:update:protected"])
		update(name, ["/resource_class"]) == testing.refused("not_granted", true, ["baremetal:node:update:resource_class"])
		update(name, ["/automated_clean"]) == testing.refused("not_granted", true, ["baremetal:node:update:automated_clean"])
		update(name, ["/description"]) == testing.granted(["lessee_member"])
	}
}

test_an_update_of_nothing_needs_the_general_action if {
	update("own_member", []) == testing.granted(["owner_member"])
	update("own_member", null) == testing.granted(["owner_member"])
	update("own_service", []) == testing.refused("not_granted", true, ["baremetal:node:update"])
}

clean(name, value) := but_for_links(testing.decide_as(name, {
	"action": "baremetal:node:update",
	"resource": testing.resource("node"),
	"fields": ["/automated_clean"],
	"requested": {"automated_clean": value},
}))

test_turning_cleaning_off_needs_more if {
	every value in [false, "False", 0] {
		clean("own_member", value) == testing.refused("not_granted", true, ["baremetal:node:disable_cleaning"])
		clean("sys_admin", value) == testing.granted(["system_admin", "system_member"])
	}
	every value in [true, null] {
		clean("own_member", value) == testing.granted(["owner_member"])
	}
	clean("les_member", false) == testing.refused("not_granted", true, [
		"baremetal:node:update:automated_clean", "baremetal:node:disable_cleaning",
	])
}

test_a_bad_pointer_refuses_the_update_to_everyone if {
	every pointer in ["", "owner", "/", "//owner", "/a~", "/a~2", "/a/~~01", 7, null, ["/owner"]] {
		update("sys_admin", ["/extra", pointer]) == testing.refused("malformed_question", true, ["baremetal:node:update"])
	}
}

test_escapes_are_read_before_the_field_is_looked_up if {
	update("les_member", ["/owne~0r"]) == testing.refused("not_granted", true, ["tenure:field:unlisted"])
	update("les_member", ["/owner/~1x"]) == testing.refused("not_granted", true, ["baremetal:node:update:owner"])
	update("les_member", ["/extra~1owner"]) == testing.refused("not_granted", true, ["tenure:field:unlisted"])
}

test_nobody_writes_a_field_that_the_table_does_not_name if {
	every name in ["sys_admin", "own_admin", "les_admin", "sys_service", "svc_elev"] {
		not update(name, ["/brand_new_field"]).allow
		not update(name, ["/extra", "/brand_new_field"]).allow
	}
	update("sys_admin", ["/brand_new_field"]) == testing.refused("not_granted", true, ["tenure:field:unlisted"])
}

test_fields_matter_to_updates_and_creates_alone if {
	question := {
		"action": "baremetal:node:set_power_state",
		"resource": testing.resource("node"),
		"fields": ["/owner", 5, "bad"],
	}
	verdict(testing.decide_as("own_member", question)) == testing.granted(["owner_member"])
}

test_an_update_of_an_unseen_node_reveals_nothing if {
	update("3rd_admin", ["/owner"]) == testing.refused("not_visible", false, ["baremetal:node:update"])
	update("3rd_admin", ["bad"]) == testing.refused("not_visible", false, ["baremetal:node:update"])
}

# ---- Batch

test_a_batch_answers_each_action_as_if_queried_alone if {
	shared := {"subject": testing.subjects.les_member, "resource": testing.resource("node"), "fields": ["/owner"]}
	actions := ["baremetal:node:get", "baremetal:node:update", "baremetal:node:delete", "no:such", "baremetal:node:list"]
	answers := data.tenure.authz.batch with input as object.union(shared, {"actions": actions})
	answers == {action: answer |
		some action in actions
		answer := testing.decide(object.union(shared, {"action": action}))
	}
}

test_a_batch_of_the_wrong_shape_is_empty if {
	every actions in [null, "baremetal:node:get", {"a": "baremetal:node:get"}, [7], ["baremetal:node:get", null], []] {
		answers := data.tenure.authz.batch with input as {"actions": actions, "subject": testing.subjects.sys_admin}
		answers == {}
	}
	many := data.tenure.authz.batch with input as {"actions": [sprintf("a%d", [i]) | some i in numbers.range(1, 65)]}
	many == {}
	full := data.tenure.authz.batch with input as {"actions": [sprintf("a%d", [i]) | some i in numbers.range(1, 64)]}
	count(full) == 64
}

test_a_batch_on_a_malformed_resource_refuses_each if {
	answers := data.tenure.authz.batch with input as {"actions": ["baremetal:node:get"], "resource": 5}
	answers == {"baremetal:node:get": malformed}
}

# ---- Conditions: what the executing service must find

while_deployed := [{
	"field": "provision_state",
	"op": "ne",
	"value": "active",
	"action": "baremetal:node:update_owner_provisioned",
}]

test_a_new_owner_is_conditional_on_the_state_unless_the_caller_may_change_it_in_any if {
	update("sys_member", ["/owner"]).conditions == while_deployed
	update("sys_member", ["/extra", "/owner"]).conditions == while_deployed
	not update("sys_admin", ["/owner"]).conditions
}

test_other_fields_creates_and_refusals_have_no_conditions if {
	not update("sys_member", ["/extra"]).conditions
	not update("own_member", ["/owner"]).conditions
	not testing.decide_as("sys_admin", {
		"action": "baremetal:node:create",
		"resource": {"type": "none"},
		"fields": ["/owner"],
	}).conditions
}

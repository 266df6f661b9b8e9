# METADATA
# title: Custom rules, tests
# description: An overridden action is decided by the custom rule and nothing else, whatever grants the caller has.
package tenure.custom_test

import data.tenure.custom
import data.tenure.oslo
import data.tenure.testing

test_by_default_nothing_is_overridden if {
	custom.overridden == set()
	custom.granted("baremetal:node:get", {}) == false
}

# ---- Instead of the row's grants

# Rules as an importer writes them.
rule("baremetal:node:get", seen) if oslo.matches(seen, "project_id", "node.owner")

rule("baremetal:node:get", seen) if {
	oslo.role(seen, "auditor")
	oslo.literal(seen, "system_scope", "all")
}

rule("baremetal:node:set_power_state", seen) if {
	oslo.role(seen, "operator")
	oslo.matches(seen, "project_id", "node.owner")
}

rule("baremetal:node:list", seen) if oslo.role(seen, "reader")

rule("baremetal:node:list_all", seen) if oslo.role(seen, "auditor")

rule("baremetal:node:update:driver_info", seen) if oslo.role(seen, "operator")

rule("baremetal:allocation:create", seen) if oslo.role(seen, "member")

rule("baremetal:node:create:self_owned_node", seen) if oslo.role(seen, "member")

rule("baremetal:node:vendor_passthru", seen) if oslo.role(seen, "member")

rule("baremetal:node:ipa_heartbeat", seen) if oslo.literal(seen, "is_public_api", "True")

rule("baremetal:conductor:get", seen) if oslo.literal(seen, "is_public_api", "False")

ask(subject, actions, question) := answer if {
	request := object.union({"resource": testing.resource("node"), "subject": subject}, question)
	answer := object.remove(data.tenure.authz.decision, ["fields"]) with input as request
		with data.tenure.custom.overridden as actions
		with data.tenure.custom.granted as rule
}

all_of_them := {
	"baremetal:node:get", "baremetal:node:set_power_state", "baremetal:node:list", "baremetal:node:list_all",
	"baremetal:node:update:driver_info", "baremetal:allocation:create", "baremetal:node:create:self_owned_node",
	"baremetal:node:ipa_heartbeat", "baremetal:conductor:get",
}

power := {"action": "baremetal:node:set_power_state"}

operator := testing.project("p-owner", "Operator")

test_an_overridden_action_is_decided_by_the_custom_rule_alone if {
	object.remove(ask(operator, all_of_them, power), ["conditions"]) == testing.granted(["custom"])
	ask(testing.subjects.own_admin, all_of_them, power) == testing.refused("not_granted", true, ["baremetal:node:set_power_state"])
	ask(testing.subjects.own_admin, {"baremetal:node:get"}, power) == testing.granted(["owner_member"])
}

test_an_object_of_names_will_do if {
	object.remove(ask(operator, {name: true | some name in all_of_them}, power), ["conditions"]) == testing.granted(["custom"])
}

test_visibility_follows_the_custom_rule if {
	ask(testing.subjects.les_admin, {"baremetal:node:get"}, power) == testing.refused("not_visible", false, ["baremetal:node:set_power_state"])
	ask(testing.subjects.sys_admin, {"baremetal:node:get"}, power).visible == false
	ask(testing.system("auditor"), {"baremetal:node:get"}, {"action": "baremetal:node:get"}) == testing.granted(["custom"])
}

test_no_role_covers_another if {
	ask(testing.project("p-owner", "admin"), all_of_them, {"action": "baremetal:node:list", "resource": {"type": "none"}}).allow == false
	ask(testing.project("p-owner", "READER"), all_of_them, {"action": "baremetal:node:list", "resource": {"type": "none"}}).allow == true
}

test_a_field_may_need_a_custom_rule if {
	update := {"action": "baremetal:node:update", "fields": ["/driver_info"]}
	both := object.union(testing.subjects.own_member, {"roles": ["member", "operator"]})
	ask(both, {"baremetal:node:update:driver_info"}, update).grants == ["custom"]
	ask(testing.subjects.own_member, {"baremetal:node:update:driver_info"}, update).denied == ["baremetal:node:update:driver_info"]
}

# ---- Rows of lists: the rule is evaluated for a resource that the caller's project owns, then of one that it leases

test_a_list_shows_the_places_where_the_custom_rule_lets_the_caller_get_the_resource if {
	answer := ask(testing.subjects.own_reader, {"baremetal:node:get"}, {"action": "baremetal:node:list", "resource": {"type": "none"}})
	answer.filter.mode == "any_of"
	[[predicate.field, predicate.value] | some predicate in answer.filter.predicates] == [["owner", "p-owner"]]
}

test_a_custom_rule_may_lift_the_row_filter if {
	question := {"action": "baremetal:node:list", "resource": {"type": "none"}}
	ask(testing.system("auditor"), all_of_them, question) == object.union(testing.granted(["custom"]), {"filter": {
		"mode": "all",
		"predicates": [],
	}})
	ask(testing.subjects.sys_reader, all_of_them, question).allow == false
}

# ---- What a custom rule cannot do

test_it_does_not_free_a_project_from_acting_in_itself if {
	create := {"action": "baremetal:allocation:create", "resource": {"type": "none"}}
	ask(testing.subjects.own_member, all_of_them, create).set == {"owner": "p-owner"}
	ask(testing.subjects.own_member, all_of_them, object.union(create, {"requested": {"owner": "p-third"}})).reason == "owner_mismatch"
	ask(testing.subjects.sys_member, all_of_them, object.union(create, {"requested": {"owner": "p-third"}})) == object.union(
		testing.granted(["custom"]),
		{"filter": {"mode": "any_of", "predicates": [
			{"field": "owner", "op": "eq", "value": "p-third", "masked": []},
			{"field": "lessee", "op": "eq", "value": "p-third", "masked": []},
		]}},
	)
}

test_where_nobody_is_free_the_system_is_not_either if {
	answer := data.tenure.authz.decision with input as {
		"action": "baremetal:node:create:self_owned_node",
		"subject": testing.subjects.sys_member,
		"resource": {"type": "none"},
	}
		with data.tenure.custom.overridden as all_of_them
		with data.tenure.custom.granted as rule
		with data.tenure.switches.project_admin_can_manage_own_nodes as true
	answer.reason == "no_project"
}

test_scope_and_switch_of_the_row_stay if {
	passthru := "baremetal:node:vendor_passthru"
	ask(testing.subjects.own_member, {passthru}, {"action": passthru}).allow == false
	ask(testing.subjects.sys_member, {passthru}, {"action": passthru}) == testing.granted(["custom"])
	ask(testing.subjects.own_admin, all_of_them, {"action": "baremetal:node:create:self_owned_node", "resource": {"type": "none"}}).allow == false
}

test_who_has_no_scope_has_no_more_than_what_is_public if {
	every name in ["nobody", "domain_admin", "unscoped_admin"] {
		ask(testing.subjects[name], {"baremetal:conductor:get"}, {"action": "baremetal:conductor:get", "resource": {"type": "none"}}).allow == false
		ask(testing.subjects[name], all_of_them, {"action": "baremetal:node:ipa_heartbeat", "resource": {"type": "none"}}).grants == ["custom"]
	}
	ask(testing.subjects.own_reader, {"baremetal:conductor:get"}, {"action": "baremetal:conductor:get", "resource": {"type": "none"}}).allow == true
}

test_an_action_that_is_not_in_the_table_stays_unknown if {
	ask(testing.subjects.sys_admin, {"x:y"}, {"action": "x:y"}).reason == "unknown_action"
}

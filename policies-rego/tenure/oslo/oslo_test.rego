# METADATA
# title: Checks of oslo.policy, tests
# description: The callers that each check matches, and that nothing matches an absent value.
package tenure.oslo_test

import data.tenure.oslo

view := {
	"roles": {"admin", "member"},
	"user_id": "u-1",
	"project_id": "p-1",
	"domain_id": "",
	"system_scope": null,
	"target": {"node.owner": "p-1", "allocation.owner": "", "project_id": "p-1"},
	"nobody": {"node.lessee"},
}

test_a_role_is_that_role_in_any_case if {
	oslo.role(view, "admin")
	oslo.role(view, "ADMIN")
	not oslo.role(view, "reader")
	not oslo.role({"roles": set()}, "admin")
	not oslo.role({}, "admin")
}

test_an_attribute_matches_what_the_target_says if {
	oslo.matches(view, "project_id", "node.owner")
	oslo.matches(view, "project_id", "project_id")
	not oslo.matches(view, "user_id", "node.owner")
	not oslo.matches(view, "project_id", "node.lessee")
	not oslo.matches(view, "project_id", "runbook.owner")
}

test_nobody_matches_nobody if {
	not oslo.matches(view, "system_scope", "node.lessee")
	not oslo.matches(view, "domain_id", "allocation.owner")
	not oslo.matches(view, "project_name", "runbook.owner")
	not oslo.matches({}, "project_id", "node.owner")
	not oslo.literal(view, "domain_id", "")
	not oslo.literal(view, "system_scope", "None")
	not oslo.target_is(view, "", "allocation.owner")
	not oslo.target_is(view, "None", "node.lessee")
}

test_a_literal_is_compared_as_it_is if {
	oslo.literal(view, "project_id", "p-1")
	not oslo.literal(view, "project_id", "P-1")
	not oslo.literal(view, "roles", "admin")
	oslo.target_is(view, "p-1", "node.owner")
	not oslo.target_is(view, "p-2", "node.owner")
}

# METADATA
# title: View, tests
# description: The members of the caller and of the resource that a custom rule can read.
package tenure.view_test

import data.tenure.testing
import data.tenure.view

seen(subject, resource, target) := answer if {
	answer := view.of({"grants": []}, target) with input as {"subject": subject, "resource": resource}
}

test_a_view_holds_the_caller_and_its_relations if {
	subject := {
		"user_id": "u",
		"project_id": "p-owner",
		"project_name": "owners",
		"project_domain_id": "d",
		"system_scope": null,
		"domain_id": null,
		"roles": ["Admin"],
		"is_admin_project": true,
	}
	seen(subject, testing.resource("node"), {"owner": "p-owner", "lessee": "p-lessee"}) == {
		"user_id": "u",
		"project_id": "p-owner",
		"project_name": "owners",
		"project_domain_id": "d",
		"roles": {"admin"},
		"is_admin_project": "True",
		"is_public_api": "False",
		"target": {"user_id": "u", "project_id": "p-owner", "node.owner": "p-owner", "node.lessee": "p-lessee"},
		"nobody": set(),
	}
}

test_what_is_null_or_empty_is_not_in_a_view if {
	seen(null, {"type": "node"}, {"owner": null, "lessee": ""}) == {
		"roles": set(),
		"is_admin_project": "False",
		"is_public_api": "False",
		"target": {},
		"nobody": {"node.owner"},
	}
}

test_roles_without_a_scope_are_not_in_a_view if {
	seen(testing.subjects.domain_admin, {"type": "none"}, {}).roles == set()
	seen(testing.subjects.unscoped_admin, {"type": "none"}, {}).roles == set()
	seen(testing.subjects.sys_admin, {"type": "none"}, {}).roles == {"admin"}
}

test_owners_of_allocations_and_runbooks_have_their_own_names if {
	seen(null, {"type": "none"}, {"allocation_owner": "p-a", "runbook_owner": "p-r"}).target == {
		"allocation.owner": "p-a",
		"runbook.owner": "p-r",
	}
}

test_a_server_is_its_projects_and_users_whoever_asks if {
	asker := testing.project("p-other", "member")
	server := {"type": "server", "owner": "p-team", "creator": "ann"}
	seen(asker, server, {"server_project": "p-team", "server_creator": "ann"}).target == {"project_id": "p-team", "user_id": "ann"}
	seen(asker, server, {"server_project": null, "server_creator": null}).target == {}
}

test_a_rule_of_nova_is_evaluated_for_the_servers_project_and_user if {
	server := {"type": "server", "owner": "p-team", "creator": "ann"}
	custom_view := view.here with input as {"subject": testing.project("p-team", "member"), "resource": server}
	custom_view.target == {"project_id": "p-team", "user_id": "ann"}
}

# METADATA
# title: Authorization, handovers
# description: Which handovers of a node a caller gets, and which of their fields are masked.
package tenure.handovers_test

import data.tenure.testing

node := object.union(testing.resource("handover"), {"id": "node-1"})

get(name) := testing.decide_as(name, {"action": "baremetal:handover:get", "resource": node})

list(name, action) := testing.decide_as(name, {"action": action, "resource": {"type": "none"}})

column(field, value, masked) := {"field": field, "op": "eq", "value": value, "masked": masked}

# The fields that a lessee never sees.
hardware := ["agent", "firmware", "put_back", "step_detail", "user_id"]

from_it := ["agent", "firmware", "put_back", "step_detail", "to_project", "user_id"]

to_it := [
	"agent", "allocation_uuid", "decision_id", "firmware", "from_project", "lease_uuid", "put_back", "request_id",
	"sealed", "sealed_digest", "step_detail", "user_id",
]

of_its_own(project) := [
	column("owner", project, []),
	column("from_project", project, from_it),
	column("to_project", project, to_it),
]

test_system_readers_get_every_handover_but_not_what_was_sealed if {
	every name in ["sys_admin", "sys_manager", "sys_member", "sys_reader"] {
		decision := get(name)
		decision.allow
		decision.grants == ["system_reader"]
		decision.filter == {"mode": "all", "predicates": []}
		decision.fields.masked == ["sealed"]
	}
}

test_the_owner_gets_every_handover_of_its_node_but_not_what_tenants_of_another_owner_wrote if {
	every name in ["own_admin", "own_manager", "own_member", "own_reader"] {
		decision := get(name)
		decision.allow
		decision.fields.masked == []
		decision.filter.mode == "any_of"
		{predicate | some predicate in decision.filter.predicates} == {predicate |
			some predicate in array.concat(
				[column("node_uuid", "node-1", ["sealed", "sealed_digest"])],
				of_its_own("p-owner"),
			)
		}
	}
}

test_a_lessee_gets_the_handovers_from_and_to_its_project_without_the_hardware if {
	every name in ["les_admin", "les_manager", "les_member", "les_reader"] {
		decision := get(name)
		decision.allow
		decision.fields.masked == hardware
		decision.filter.mode == "any_of"
		{predicate | some predicate in decision.filter.predicates} == {predicate |
			some predicate in of_its_own("p-lessee")
		}
	}
}

test_a_stranger_does_not_see_that_there_is_a_node if {
	every name in ["3rd_admin", "own_norole", "les_service", "svc_plain", "domain_admin", "unscoped_admin", "nobody"] {
		decision := get(name)
		not decision.allow
		not decision.visible
		decision.filter == testing.no_filter
	}
}

test_service_accounts_see_the_node_and_not_its_handovers if {
	every name in ["sys_service", "svc_elev", "own_service"] {
		decision := get(name)
		not decision.allow
		decision.visible
		decision.denied == ["baremetal:handover:get"]
	}
}

test_an_owner_without_the_id_of_the_node_gets_only_what_names_its_project if {
	every id in [null, ""] {
		resource := object.union(node, {"id": id})
		decision := testing.decide_as("own_reader", {"action": "baremetal:handover:get", "resource": resource})
		{predicate.field | some predicate in decision.filter.predicates} == {"owner", "from_project", "to_project"}
	}
}

test_an_unowned_node_gives_nobody_all_of_its_handovers if {
	resource := {"type": "handover", "id": "node-1", "owner": null, "lessee": "p-owner", "tenancy_revision": 3}
	decision := testing.decide_as("own_reader", {"action": "baremetal:handover:get", "resource": resource})
	{predicate.field | some predicate in decision.filter.predicates} == {"owner", "from_project", "to_project"}
}

test_a_project_lists_the_handovers_that_name_it_whoever_has_the_node_now if {
	every name, project in {"own_reader": "p-owner", "les_reader": "p-lessee", "3rd_admin": "p-third"} {
		decision := list(name, "baremetal:handover:list")
		decision.allow
		decision.fields.masked == []
		decision.filter.mode == "any_of"
		{predicate | some predicate in decision.filter.predicates} == {predicate |
			some predicate in of_its_own(project)
		}
	}
}

test_system_readers_list_every_handover_but_not_what_was_sealed if {
	every action in ["baremetal:handover:list", "baremetal:handover:list_all"] {
		decision := list("sys_reader", action)
		decision.allow
		decision.filter == {"mode": "all", "predicates": []}
		decision.fields.masked == ["sealed"]
	}
}

test_services_and_callers_without_a_project_list_no_handovers if {
	every name in ["sys_service", "svc_elev", "svc_plain", "own_service", "own_norole", "domain_admin", "nobody"] {
		decision := list(name, "baremetal:handover:list")
		not decision.allow
		decision.filter == testing.no_filter
	}
}

test_a_project_never_lists_all_handovers if {
	every name in ["own_admin", "les_admin", "3rd_admin"] {
		not list(name, "baremetal:handover:list_all").allow
	}
}

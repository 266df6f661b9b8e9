# METADATA
# title: Relation, tests
# description: The owner of a resource, and that an unowned resource matches no caller.
package tenure.relation_test

import data.tenure.relation

relations(project, resource) := found if {
	found := relation.of_caller with input as {"subject": {"project_id": project}, "resource": resource}
}

test_owner_and_lessee_are_distinguished if {
	relations("p", {"type": "node", "owner": "p", "lessee": "q"}) == {"owner"}
	relations("p", {"type": "port", "owner": "q", "lessee": "p"}) == {"lessee"}
	relations("p", {"type": "volume_target", "owner": "p", "lessee": "p"}) == {"owner", "lessee"}
	relations("p", {"type": "node", "owner": "q", "lessee": null}) == set()
}

test_an_allocation_and_a_runbook_have_owners_of_their_own_kind if {
	relations("p", {"type": "allocation", "owner": "p", "lessee": "p"}) == {"allocation_owner"}
	relations("p", {"type": "runbook", "owner": "p"}) == {"runbook_owner"}
	relations("p", {"type": "none", "owner": "p", "lessee": "p"}) == set()
	relations("p", {"type": "chassis", "owner": "p"}) == set()
}

test_ids_are_compared_exactly if {
	every owner in ["P", "p ", "", null, 5, true, ["p"], {"id": "p"}] {
		relations("p", {"type": "node", "owner": owner}) == set()
	}
}

test_no_project_relates_to_nothing if {
	every project in [null, "", 0, false] {
		relations(project, {"type": "node", "owner": project, "lessee": project}) == set()
	}
	relation.of_caller == set() with input as {"subject": {}, "resource": {"type": "node"}}
	relation.of_caller == set() with input as {"subject": {}, "resource": {"type": "node", "owner": null}}
}

test_the_same_id_is_a_string_twice if {
	relation.same("a", "a")
	every pair in [["", ""], [null, null], [1, 1], ["a", "A"], [[], []]] {
		not relation.same(pair[0], pair[1])
	}
}

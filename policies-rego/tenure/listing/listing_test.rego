# METADATA
# title: Listing, tests
# description: Which rows every caller gets.
package tenure.listing_test

import data.tenure.testing

always := ["chassis_uuid", "conductor", "conductor_group", "reservation"]

leased := [
	"chassis_uuid", "conductor", "conductor_group", "driver_info", "driver_internal_info", "last_error",
	"reservation",
]

answer(allow, grants, denied, filter, masked) := {
	"allow": allow,
	"visible": true,
	"reason": {true: "granted", false: "not_granted"}[allow],
	"grants": grants,
	"denied": denied,
	"filter": filter,
	"fields": {"masked": masked, "read_only": []},
	"set": {},
}

everything(grants) := answer(true, grants, [], {"mode": "all", "predicates": []}, [])

nothing(action) := answer(false, [], [action], {"mode": "none", "predicates": []}, [])

rows(predicates) := {"mode": "any_of", "predicates": predicates}

column(field, value, masked) := {"field": field, "op": "eq", "value": value, "masked": masked}

list(name, action) := testing.decide_as(name, {"action": action, "resource": {"type": "none"}})

listings := {"node", "port", "portgroup", "volume", "allocation", "runbook"}

test_system_readers_get_every_row[noun] if {
	some noun in listings
	every name in ["sys_admin", "sys_manager", "sys_member", "sys_reader"] {
		list(name, sprintf("baremetal:%s:list", [noun])) == everything(["system_reader"])
		list(name, sprintf("baremetal:%s:list_all", [noun])) == everything(["system_reader"])
	}
}

# What nova-compute lists, its account lists by a grant of its own.
novas := {"node", "port", "portgroup", "volume"}

test_services_of_the_system_and_elevated_ones_get_every_row[noun] if {
	some noun in (listings - novas)
	list("sys_service", sprintf("baremetal:%s:list", [noun])) == everything(["system_service"])
	list("svc_elev", sprintf("baremetal:%s:list", [noun])) == everything(["service_elevated"])
	list("svc_elev", sprintf("baremetal:%s:list_all", [noun])) == everything(["service_elevated"])
}

test_the_account_of_nova_gets_every_row[noun] if {
	some noun in novas
	every name in ["sys_service", "svc_elev"] {
		list(name, sprintf("baremetal:%s:list", [noun])) == everything(["nova_service"])
		list(name, sprintf("baremetal:%s:list_all", [noun])) == everything(["nova_service"])
	}
}

test_a_project_may_never_list_all[noun] if {
	some noun in listings
	action := sprintf("baremetal:%s:list_all", [noun])
	every name in ["svc_plain", "own_admin", "own_service", "les_reader", "3rd_admin"] {
		list(name, action) == nothing(action)
	}
}

test_without_role_or_scope_no_list[noun] if {
	some noun in listings
	action := sprintf("baremetal:%s:list", [noun])
	every name in ["own_norole", "domain_admin", "unscoped_admin", "nobody"] {
		list(name, action) == nothing(action)
	}
}

test_a_project_lists_nodes_that_it_owns_or_leases if {
	own := rows([column("owner", "p-owner", always), column("lessee", "p-owner", leased)])
	list("own_reader", "baremetal:node:list") == answer(true, ["project_reader"], [], own, always)
	list("own_admin", "baremetal:node:list") == answer(true, ["project_reader"], [], own, always)
}

# A service sees what its project owns, not what it leases.
test_a_service_lists_what_it_could_also_get if {
	own := rows([column("owner", "p-owner", always)])
	list("own_service", "baremetal:node:list") == answer(true, ["project_service"], [], own, always)
}

test_a_project_lists_what_hangs_on_its_nodes if {
	own := rows([column("owner", "p-third", []), column("lessee", "p-third", [])])
	list("3rd_admin", "baremetal:port:list") == answer(true, ["project_reader"], [], own, [])
	list("3rd_admin", "baremetal:portgroup:list") == answer(true, ["project_reader"], [], own, [])
	list("3rd_admin", "baremetal:volume:list") == answer(true, ["project_reader"], [], own, [])
}

test_target_properties_are_masked_in_a_list_but_for_admins if {
	own := rows([column("owner", "p-owner", ["properties"]), column("lessee", "p-owner", ["properties"])])
	list("own_manager", "baremetal:volume:list") == answer(true, ["project_reader"], [], own, ["properties"])
}

test_a_project_lists_its_own_allocations if {
	own := rows([column("owner", "p-lessee", [])])
	list("les_reader", "baremetal:allocation:list") == answer(true, ["project_reader"], [], own, [])
}

test_a_service_may_ask_for_allocations_and_gets_no_row if {
	none := {"mode": "none", "predicates": []}
	list("les_service", "baremetal:allocation:list") == answer(true, ["project_service"], [], none, [])
}

test_a_project_lists_its_own_and_public_runbooks if {
	own := rows([column("owner", "p-owner", []), column("public", "true", [])])
	list("own_reader", "baremetal:runbook:list") == answer(true, ["project_reader"], [], own, [])
}

test_inspection_rules_are_listed_by_the_system_alone if {
	action := "baremetal:inspection_rule:list_all"
	list("sys_reader", action) == everything(["system_reader"])
	list("own_admin", action) == nothing(action)
}

test_an_overlay_cannot_give_own_rows_to_who_has_no_project if {
	decision := data.tenure.authz.decision with input as {
		"action": "baremetal:node:list",
		"subject": testing.system("reader"),
	}
		with data.tenure.actions["baremetal:node:list"].grants as ["system_reader"]
		with data.tenure.actions["baremetal:node:list_all"].grants as []
	decision == nothing("baremetal:node:list")
}

leases := "baremetal:lease:list"

test_a_project_gets_the_leases_that_it_gave_and_those_that_it_was_given if {
	every name in ["own_admin", "own_manager", "own_member", "own_reader"] {
		filter := rows([column("owner", "p-owner", []), column("lessee", "p-owner", [])])
		list(name, leases) == answer(true, ["project_reader"], [], filter, [])
	}
}

test_system_readers_get_every_lease if {
	every name in ["sys_admin", "sys_manager", "sys_member", "sys_reader"] {
		list(name, leases) == everything(["system_reader"])
		list(name, "baremetal:lease:list_all") == everything(["system_reader"])
	}
}

test_services_and_callers_without_a_project_get_no_leases if {
	every name in ["sys_service", "svc_elev", "svc_plain", "own_service", "own_norole", "domain_admin", "nobody"] {
		list(name, leases) == nothing(leases)
	}
}

test_a_project_never_lists_all_leases if {
	every name in ["own_admin", "les_admin", "3rd_admin"] {
		list(name, "baremetal:lease:list_all") == nothing("baremetal:lease:list_all")
	}
}

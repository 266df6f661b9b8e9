# METADATA
# title: Grants, tests
# description: The grants of each caller; the deprecated ones only while they count.
package tenure.grants_test

import data.tenure.grants
import data.tenure.testing

granted_to(subject, resource) := found if {
	found := grants.here.grants with input as {"subject": subject, "resource": resource}
}

legacy(subject) := found if {
	found := grants.here.grants with input as {"subject": subject, "resource": {"type": "none"}}
		with data.tenure.switches.enforce_new_defaults as false
}

node := testing.resource("node")

test_admin_covers_the_weaker_roles if {
	granted_to(testing.system("ADMIN"), node) == {"public", "system_admin", "system_manager", "system_member", "system_reader"}
	granted_to(testing.system("manager"), node) == {"public", "system_manager", "system_member", "system_reader"}
	granted_to(testing.system("member"), node) == {"public", "system_member", "system_reader"}
	granted_to(testing.system("reader"), node) == {"public", "system_reader"}
}

test_service_covers_nothing if {
	granted_to(testing.system("service"), node) == {"public", "nova_service", "system_service"}
	granted_to(testing.project("p-owner", "service"), node) == {"public", "project_service", "owner_service"}
}

test_a_relation_adds_its_own_grants if {
	granted_to(testing.project("p-owner", "member"), node) == {"public", "project_member", "project_reader", "owner_member", "owner_reader"}
	granted_to(testing.project("p-lessee", "reader"), node) == {"public", "project_reader", "lessee_reader"}
	granted_to(testing.project("p-third", "reader"), node) == {"public", "project_reader"}
	granted_to(testing.project("p-owner", "reader"), testing.resource("allocation")) == {"public", "project_reader", "allocation_owner_reader"}
}

test_roles_without_a_scope_are_worth_nothing if {
	every subject in [{"roles": ["admin", "service"]}, {"domain_id": "d", "roles": ["admin", "service"]}, null] {
		granted_to(subject, node) == {"public"}
		legacy(subject) == {"public"}
	}
}

test_an_unknown_role_is_worth_nothing if {
	granted_to(testing.project("p-owner", "root"), node) == {"public"}
}

elevated(subject, switches) := found if {
	every_switch := object.union(data.tenure.switches, switches)
	granted_now := grants.here.grants with input as {"subject": subject} with data.tenure.switches as every_switch
	found := ({"nova_service", "service_elevated"} & granted_now) == {"nova_service", "service_elevated"}
}

test_the_service_account_is_elevated_by_switch_role_and_project if {
	on := {"rbac_service_role_elevated_access": true}
	elevated(testing.service_project("service"), on)
	elevated(testing.service_project("SERVICE"), on)
	elevated(testing.project("infra", "service"), object.union(on, {"rbac_service_project_id": "infra"}))
	not elevated(testing.service_project("service"), {})
	not elevated(testing.service_project("service"), {"rbac_service_role_elevated_access": "true"})
	not elevated(testing.service_project("service"), object.union(on, {"rbac_service_project": "infra"}))
	not elevated(testing.service_project("admin"), on)
	not elevated(testing.project("other", "service"), on)
	not elevated(testing.project("service", "service"), on)
	not elevated(object.union(testing.service_project("service"), {"project_domain_id": "other"}), on)
	not elevated({"roles": ["service"], "project_name": "service", "project_domain_id": "default"}, on)
	not elevated(testing.project("p", "service"), object.union(on, {"rbac_service_project": ""}))
}

_named(name, role) := object.union(testing.project("5f", role), {"project_name": name})

_baremetal(role) := _named("baremetal", role)

test_deprecated_grants_count_only_in_legacy_mode if {
	subject := object.union(_baremetal("baremetal_admin"), {"is_admin_project": true})
	granted_to(subject, node) == {"public"}
	legacy(subject) == {"public", "legacy_baremetal_admin", "legacy_admin_project"}
}

test_who_was_an_admin if {
	legacy(testing.project("p", "administrator")) == {"public", "legacy_admin"}
	legacy(testing.system("administrator")) == {"public", "legacy_admin"}
	"legacy_admin" in legacy(testing.project("p", "admin"))
	legacy(_named("demo", "baremetal_admin")) == {"public", "legacy_baremetal_admin"}
	legacy(testing.project("p", "baremetal_admin")) == {"public"}
	legacy(object.union(_named("demo", "baremetal_admin"), {"project_domain_id": "other"})) == {"public"}
	legacy(testing.project("baremetal", "baremetal_admin")) == {"public"}
	legacy(_baremetal("baremetal_admin")) == {"public", "legacy_baremetal_admin"}
}

test_who_was_an_observer if {
	legacy(_baremetal("observer")) == {"public", "legacy_observer"}
	legacy(testing.project("baremetal", "observer")) == {"public"}
	legacy(_baremetal("baremetal_observer")) == {"public", "legacy_observer"}
	legacy(testing.project("p", "baremetal_observer")) == {"public"}
	legacy(object.union(_baremetal("observer"), {"is_admin_project": true})) == {"public", "legacy_observer", "legacy_observer_project"}
}

test_the_admin_project_has_to_be_said if {
	subject := testing.project("p", "administrator")
	legacy(object.union(subject, {"is_admin_project": true})) == {"public", "legacy_admin", "legacy_admin_project"}
	legacy(object.union(subject, {"is_admin_project": "true"})) == {"public", "legacy_admin"}
}

# ---- Rows

allowed(subject, action, resource, switches) := answer.allow if {
	answer := data.tenure.authz.decision with input as {"action": action, "subject": subject, "resource": resource}
		with data.tenure.switches as object.union(data.tenure.switches, switches)
}

off := {"enforce_new_defaults": false}

none := {"type": "none"}

test_a_legacy_admin_does_what_the_deprecated_rules_let_it if {
	subject := testing.project("p-third", "admin")
	allowed(subject, "baremetal:node:get", node, off)
	allowed(subject, "baremetal:node:list_all", none, off)
	allowed(subject, "baremetal:node:create", none, off)
	not allowed(subject, "baremetal:node:get", node, {})
	not allowed(subject, "baremetal:node:update:shard", node, off)
	not allowed(subject, "baremetal:chassis:get", none, off)
	not allowed(subject, "baremetal:allocation:list_all", none, off)
	allowed(object.union(subject, {"is_admin_project": true}), "baremetal:allocation:list_all", none, off)
}

test_a_legacy_observer_reads_and_no_more if {
	subject := _baremetal("baremetal_observer")
	allowed(subject, "baremetal:node:get", node, off)
	allowed(subject, "baremetal:node:list", none, off)
	not allowed(subject, "baremetal:node:set_power_state", node, off)
	not allowed(subject, "baremetal:node:list", none, {})
}

test_allocations_before_the_new_defaults if {
	subject := object.union(testing.project("p", "admin"), {"is_admin_project": true})
	answer := data.tenure.authz.decision with input as {"action": "baremetal:allocation:create", "subject": subject}
		with data.tenure.switches.enforce_new_defaults as false
	object.remove(answer, ["fields"]) == object.union(testing.granted(["legacy_admin_project"]), {
		"filter": {"mode": "all", "predicates": []},
		"deprecated": ["legacy_admin_project"],
	})
	old := "baremetal:allocation:create_pre_rbac"
	allowed(subject, old, none, off)
	allowed(_named("demo", "baremetal_admin"), old, none, off)
	not allowed(testing.project("p", "admin"), old, none, off)
	not allowed(subject, old, none, {})
}

not_for_services := [
	"baremetal:node:create", "baremetal:node:create:self_owned_node", "baremetal:node:delete",
	"baremetal:node:delete:self_owned_node", "baremetal:port:create", "baremetal:port:delete",
	"baremetal:portgroup:create", "baremetal:portgroup:delete", "baremetal:node:traits:set",
	"baremetal:node:traits:delete", "baremetal:chassis:create", "baremetal:chassis:update",
	"baremetal:chassis:delete", "baremetal:node:vendor_passthru", "baremetal:driver:vendor_passthru",
	"baremetal:node:update:owner",
]

test_no_service_creates_deletes_or_gives_away_in_any_mode if {
	every subject in [
		testing.system("service"), testing.service_project("service"),
		testing.project("p-owner", "service"), testing.project("p-lessee", "service"),
	] {
		every defaults in [true, false] {
			decisions := data.tenure.authz.batch with input as {
				"actions": not_for_services,
				"subject": subject,
				"resource": node,
			}
				with data.tenure.switches as {
					"enforce_new_defaults": defaults,
					"enforce_scope": defaults,
					"rbac_service_project": "service",
					"rbac_service_project_domain": "default",
					"rbac_service_role_elevated_access": true,
					"project_admin_can_manage_own_nodes": true,
				}
			count(decisions) == count(not_for_services)
			every decision in decisions {
				decision.allow == false
			}
		}
	}
}

test_a_system_row_is_for_system_tokens_while_scope_is_enforced if {
	subject := testing.service_project("service")
	on := {"rbac_service_role_elevated_access": true}
	not allowed(subject, "baremetal:driver:get", none, on)
	allowed(subject, "baremetal:driver:get", none, object.union(on, {"enforce_scope": false}))
	not allowed(testing.project("p", "admin"), "baremetal:driver:get", none, {"enforce_scope": false})
	allowed(testing.system("reader"), "baremetal:driver:get", none, {"enforce_scope": false})
}

test_without_switches_the_strict_ones_hold if {
	old := {"action": "baremetal:node:list", "subject": _baremetal("observer"), "resource": none}
	answer := data.tenure.authz.decision with input as old with data.tenure.switches as {}
	answer.allow == false
	service := {"action": "baremetal:chassis:get", "subject": testing.project("p", "service"), "resource": none}
	elevated_only := {"rbac_service_role_elevated_access": true, "rbac_service_project_id": "p"}
	scoped := data.tenure.authz.decision with input as service with data.tenure.switches as elevated_only
	scoped.allow == false
}

test_every_grant_of_the_catalogue_can_be_had if {
	reached := {name |
		some role in ["admin", "service", "baremetal_admin", "observer"]
		some resource in ["node", "allocation", "runbook", "server"]
		some subject in [
			testing.system(role),
			object.union(testing.project("baremetal", role), {"is_admin_project": true, "project_name": "baremetal"}),
		]
		found := grants.here.grants with input as {
			"subject": subject,
			"resource": {"type": resource, "owner": "baremetal", "lessee": "baremetal", "public": true, "creator": "u"},
		}
			with data.tenure.switches as {
				"enforce_new_defaults": false,
				"rbac_service_role_elevated_access": true,
				"rbac_service_project_id": "baremetal",
			}
		some name in found
	}
	reached == object.keys(data.tenure.grants.catalogue)
}

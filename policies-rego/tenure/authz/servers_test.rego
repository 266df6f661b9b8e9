# METADATA
# title: Authorization, servers
# description: The fourteen operations of specification 004 for every caller, with and without rules for creators. Written by hand.
package tenure.authz_servers_test

user(id, project, role) := {"user_id": id, "project_id": project, "roles": [role]}

callers := {
	"creator": user("ann", "team", "member"),
	"creator who only reads now": user("ann", "team", "reader"),
	"colleague": user("ben", "team", "member"),
	"reader": user("ben", "team", "reader"),
	"project admin": user("cat", "team", "admin"),
	"other project": user("dan", "other", "admin"),
	"creator elsewhere": user("ann", "other", "admin"),
	"system admin": {"user_id": "sys", "system_scope": "all", "roles": ["admin"]},
	"system reader": {"user_id": "sys", "system_scope": "all", "roles": ["reader"]},
	"no user": {"user_id": null, "project_id": "team", "roles": ["member"]},
	"no role": {"user_id": "ann", "project_id": "team", "roles": []},
	"domain": {"user_id": "ann", "domain_id": "default", "roles": ["admin"]},
	"unscoped": {"user_id": "ann", "roles": ["admin"]},
	"nobody": null,
}

server := {"type": "server", "owner": "team", "creator": "ann", "tenancy_revision": 1}

without_creator := object.union(server, {"creator": null})

fourteen := {
	"servers:delete", "servers:update", "os-admin-password", "os-lock-server:lock", "os-pause-server:pause",
	"servers:rebuild", "servers:resize", "os-rescue", "servers:stop", "os-suspend-server:suspend", "os-evacuate",
	"os-deferred-delete:force", "os-shelve:shelve", "servers:trigger_crash_dump",
}

# Disruptive at most, and so never a matter of who made the server.
others := {
	"servers:start", "servers:reboot", "servers:confirm_resize", "servers:revert_resize", "os-lock-server:unlock",
	"os-pause-server:unpause", "os-suspend-server:resume", "os-unrescue", "os-shelve:unshelve", "os-console-output",
}

name(short) := concat(":", ["os_compute_api", short])

answers(caller, shorts, resource, actions) := found if {
	question := {"actions": [name(short) | some short in shorts], "subject": callers[caller], "resource": resource}
	actions == "as in the table"
	found := data.tenure.authz.batch with input as question
} else := found if {
	question := {"actions": [name(short) | some short in shorts], "subject": callers[caller], "resource": resource}
	found := data.tenure.authz.batch with input as question with data.tenure.actions as actions
}

answer(caller, short, resource, actions) := answers(caller, [short], resource, actions)[name(short)]

# 2: allowed, 3: seen and refused, 4: not there.
code(decision) := 2 if {
	decision.allow
} else := 3 if {
	decision.visible
} else := 4

outcomes(caller, shorts, resource, actions) := {code(decision) |
	some decision in answers(caller, shorts, resource, actions)
}

# Each of these actions has the outcome that is written for the caller.
as_written(shorts, resource, actions, written) if {
	every caller, outcome in written {
		outcomes(caller, shorts, resource, actions) == {outcome}
	}
}

given_to(names) := {action: row |
	some action, plain in data.tenure.actions
	startswith(action, "os_compute_api:")
	row := _given(plain, names)
}

_given(row, names) := object.union(row, {"grants": names}) if row.user_based == "opt_in"

_given(row, _) := row if not row.user_based == "opt_in"

unseen := {
	"other project": 4, "creator elsewhere": 4, "no role": 4, "domain": 4, "unscoped": 4, "nobody": 4,
}

of_members := {
	"creator": 2, "creator who only reads now": 3, "colleague": 2, "reader": 3, "project admin": 2,
	"system admin": 2, "system reader": 3, "no user": 2,
}

of_creators := {
	"creator": 2, "creator who only reads now": 2, "colleague": 3, "reader": 3, "project admin": 3,
	"system admin": 2, "system reader": 3, "no user": 3,
}

of_the_system := {
	"creator": 3, "creator who only reads now": 3, "colleague": 3, "reader": 3, "project admin": 3,
	"system admin": 2, "system reader": 3, "no user": 3,
}

# Several tests, because a single one may take only a few seconds.
test_by_default_members_of_the_project_may_what_destroys if {
	as_written(fourteen - {"os-evacuate"}, server, "as in the table", of_members)
}

test_by_default_members_of_the_project_may_what_disrupts if {
	as_written(others, server, "as in the table", of_members)
}

test_by_default_the_system_alone_evacuates_and_offloads if {
	shorts := ["os-evacuate", "os-shelve:shelve_offload", "os-lock-server:unlock:unlock_override"]
	as_written(shorts, server, "as in the table", of_the_system)
}

test_who_does_not_see_a_server_reaches_nothing_of_it if {
	as_written(fourteen, server, "as in the table", unseen)
}

test_a_rule_for_creators_does_not_show_them_their_servers_elsewhere if {
	as_written(fourteen, server, given_to(["creator"]), unseen)
}

test_a_rule_for_creators_shuts_their_colleagues_out if {
	as_written(fourteen, server, given_to(["creator", "system_admin"]), of_creators)
}

test_a_rule_for_creators_in_the_project_shuts_their_colleagues_out if {
	as_written(fourteen, server, given_to(["creator_and_project", "system_admin"]), of_creators)
}

test_a_rule_for_creators_leaves_the_other_operations_alone if {
	as_written(others, server, given_to(["creator"]), of_members)
}

test_who_is_not_named_is_not_exempt if {
	outcomes("system admin", fourteen, server, given_to(["creator"])) == {3}
	outcomes("project admin", fourteen, server, given_to(["creator"])) == {3}
}

test_a_server_that_nobody_made_is_nobodys if {
	shut := object.union(of_creators, {"creator": 3, "creator who only reads now": 3, "system admin": 3})
	as_written(fourteen, without_creator, given_to(["creator", "creator_and_project"]), shut)
}

test_the_fourteen_are_marked_and_no_others if {
	{action | some action, row in data.tenure.actions; row.user_based == "opt_in"} == {name(short) | some short in fourteen}
}

test_creators_count_for_servers_and_key_pairs_alone if {
	actions := given_to(["creator"])
	every type in ["node", "allocation", "runbook", "none"] {
		answer("creator", "servers:delete", object.union(server, {"type": type}), actions).allow == false
	}
}

test_a_member_of_the_project_that_owns_it_sees_it if {
	readers := object.union(of_members, {"creator who only reads now": 2, "reader": 2, "system reader": 2})
	as_written(["servers:show"], server, "as in the table", readers)
}

listed(caller, action) := answer(caller, action, {"type": "none"}, "as in the table")

test_projects_list_their_own_servers if {
	every action in ["servers:index", "servers:detail"] {
		every caller in ["creator", "reader", "project admin", "no user"] {
			listed(caller, action).filter == {"mode": "any_of", "predicates": [{"field": "project_id", "op": "eq", "value": "team", "masked": []}]}
		}
		every caller in ["system admin", "system reader"] {
			listed(caller, action).filter == {"mode": "all", "predicates": []}
		}
		every caller in ["no role", "domain", "unscoped", "nobody"] {
			listed(caller, action).allow == false
		}
	}
}

test_only_the_system_lists_those_of_all_projects if {
	every action in ["servers:index:get_all_tenants", "servers:detail:get_all_tenants"] {
		{caller | some caller, _ in callers; listed(caller, action).allow} == {"system admin", "system reader"}
	}
}

test_members_create_servers_of_their_project_on_its_nodes if {
	{caller | some caller, _ in callers; listed(caller, "servers:create").allow} == {
		"creator", "colleague", "project admin", "other project", "creator elsewhere", "no user",
	}
	made := listed("creator", "servers:create")
	made.set == {"owner": "team"}
	made.filter == {"mode": "any_of", "predicates": [
		{"field": "owner", "op": "eq", "value": "team", "masked": []},
		{"field": "lessee", "op": "eq", "value": "team", "masked": []},
	]}
}

test_key_pairs_belong_to_their_user if {
	pair := {"type": "keypair", "creator": "ann"}
	every action in ["index", "show", "create", "delete"] {
		short := concat(":", ["os-keypairs", action])
		{caller | some caller, _ in callers; answer(caller, short, pair, "as in the table").allow} == {
			"creator", "creator who only reads now", "creator elsewhere", "system admin",
		}
		{caller |
			some caller, _ in callers
			answer(caller, short, {"type": "keypair", "creator": null}, "as in the table").allow
		} == {"system admin"}
	}
}

test_whoever_has_a_role_lists_flavors if {
	every action in ["flavors", "os-flavor-extra-specs:index"] {
		{caller | some caller, _ in callers; listed(caller, action).allow} == object.keys(callers) - {"no role", "domain", "unscoped", "nobody"}
	}
}

# ---- Locks

unless_locked_by(locker) := {
	"field": "locked_by", "op": "ne", "value": locker,
	"action": "os_compute_api:os-lock-server:unlock:unlock_override",
}

any_lock := [unless_locked_by("owner"), unless_locked_by("admin")]

# Reading, renaming and locking are none of a lock's business.
heeding := ((fourteen | others) | {"os-shelve:shelve_offload"}) - {
	"servers:update", "os-lock-server:lock", "os-lock-server:unlock", "os-console-output",
}

conditions_of(caller, shorts, actions) := {object.get(decision, "conditions", []) |
	some decision in answers(caller, shorts, server, actions)
	decision.allow
}

test_a_lock_forbids_members_of_the_project_what_changes_the_server if {
	every caller in ["creator", "colleague", "project admin", "no user"] {
		conditions_of(caller, heeding - {"os-evacuate", "os-shelve:shelve_offload"}, "as in the table") == {any_lock}
	}
}

test_a_lock_forbids_a_creator_too if {
	conditions_of("creator", heeding - {"os-shelve:shelve_offload"}, given_to(["creator"])) == {any_lock}
}

test_a_lock_forbids_the_systems_administrator_nothing if {
	conditions_of("system admin", heeding | {"os-lock-server:unlock"}, "as in the table") == {[]}
}

test_a_lock_does_not_keep_from_reading_renaming_and_locking if {
	shorts := {"servers:show", "servers:update", "os-lock-server:lock", "os-console-output"}
	every caller in ["creator", "colleague", "project admin"] {
		conditions_of(caller, shorts, "as in the table") == {[]}
	}
}

test_the_project_lifts_its_own_locks_and_no_others if {
	every caller in ["creator", "colleague", "project admin"] {
		conditions_of(caller, {"os-lock-server:unlock"}, "as in the table") == {[unless_locked_by("admin")]}
	}
}

test_who_is_not_of_the_project_does_not_lift_its_locks_without_the_override if {
	plain := data.tenure.actions
	unlock := name("os-lock-server:unlock")
	override := name("os-lock-server:unlock:unlock_override")
	actions := object.union(plain, {
		unlock: object.union(plain[unlock], {"grants": ["system_reader"]}),
		override: object.union(plain[override], {"grants": []}),
	})
	conditions_of("system reader", {"os-lock-server:unlock"}, actions) == {[unless_locked_by("owner")]}
}

test_a_refusal_has_no_conditions if {
	every caller in ["reader", "other project", "nobody"] {
		not answer(caller, "servers:delete", server, "as in the table").conditions
	}
}

test_flavors_are_of_the_nodes_that_the_caller_sees if {
	seen := listed("reader", "flavors").filter
	seen.mode == "any_of"
	{[predicate.field, predicate.value] | some predicate in seen.predicates} == {
		["owner", "team"], ["lessee", "team"], ["project_id", "team"],
	}
	listed("system reader", "flavors").filter == {"mode": "all", "predicates": []}
	listed("unscoped", "flavors").filter == {"mode": "none", "predicates": []}
}

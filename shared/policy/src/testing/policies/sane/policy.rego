# A tiny policy of the real one's shape, for tests of what surrounds the policy.
package tenure.authz

_denial(reason) := {
	"allow": false,
	"visible": false,
	"reason": reason,
	"grants": [],
	"denied": [],
	"filter": {"mode": "none", "predicates": []},
	"fields": {"masked": [], "read_only": []},
	"set": {},
}

# METADATA
# scope: document
# entrypoint: true
default decision := {
	"allow": false,
	"visible": false,
	"reason": "malformed_question",
	"grants": [],
	"denied": [],
	"filter": {"mode": "none", "predicates": []},
	"fields": {"masked": [], "read_only": []},
	"set": {},
}

decision := _answer(input.action) if is_string(input.action)

# METADATA
# scope: document
# entrypoint: true
default batch := {}

batch := {action: _answer(action) | some action in input.actions} if is_array(input.actions)

_answer(action) := object.union_n([_denial("granted"), _deprecation(action), {
	"allow": true,
	"visible": true,
	"grants": sort(_granted(action)),
	"fields": {"masked": [input.subject.user_id], "read_only": []},
}]) if {
	count(_granted(action)) > 0
} else := _denial("not_granted") if {
	data.tenure.actions[action]
} else := _denial("unknown_action")

_granted(action) := _matching(action, "grants") | _old(action)

_matching(action, list) := {name | some name in data.tenure.actions[action][list]; _matched[name]}

_old(action) := _matching(action, "legacy") if data.tenure.switches.open_access

else := set()

_deprecation(action) := {"deprecated": sort(_old(action))} if count(_matching(action, "grants")) == 0

else := {}

_matched contains "system_admin" if {
	input.subject.system_scope == "all"
	"admin" in input.subject.roles
}

_matched contains "owner_reader" if {
	input.subject.project_id == input.resource.owner
	is_string(input.resource.owner)
}

_matched contains "everybody" if data.tenure.switches.open_access

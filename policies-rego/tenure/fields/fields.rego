# METADATA
# title: Fields
# description: The fields that are masked or read-only, and the actions that a write needs.
# schemas:
#   - input: schema.question
package tenure.fields

import data.tenure.grants
import data.tenure.question

# Name of the table of this action; "" is no table, and masks nothing.
table(action) := name if {
	name := data.tenure.actions[action].table
} else := ""

# Fields of the table that this caller may not see.
masked(name, caller) := [] if {
	grants.granted(data.tenure.fields.tables[name].see_all, caller)
} else := sort([field |
	some field, action in data.tenure.fields.tables[name].view
	not grants.granted(action, caller)
])

# Fields of the table that an update by this caller would not change: those of refused actions, those of none, and
# those that are masked for it.
# Sets are looked up, not searched: in WASM `x in set` walks the whole set.
read_only(name, caller, hidden) := sort(array.concat(refused_fields, hidden_fields)) if {
	closed := {null} | {action |
		some action in _writing[name]
		not grants.granted(action, caller)
	}
	refused_fields := [field |
		some field, action in data.tenure.fields.tables[name].write
		closed[action]
	]
	hidden_fields := [field |
		some field in hidden
		action := data.tenure.fields.tables[name].write[field]
		not closed[action]
	]
}

# The actions that a write to these fields needs, in the order of the fields. `exempt` fields need none.
needed(name, exempt) := array.concat(by_field, by_value) if {
	by_field := [action |
		some field in question.segments
		not exempt[field]
		action := _writer(name, field)
	]
	by_value := [action |
		some field, action in data.tenure.fields.tables[name].off
		value := input.requested[field]
		not value in {true, null}
	]
}

# What one may not see one may not change: actions that would show the fields that this caller could else write.
unseen(name, caller) := [] if {
	grants.granted(data.tenure.fields.tables[name].see_all, caller)
} else := [action |
	some field in question.segments
	action := data.tenure.fields.tables[name].view[field]
	not grants.granted(action, caller)
	grants.granted(_writer(name, field), caller)
]

# Those among the needed actions that are refused, most specific first: the table's general one comes last.
refused(name, actions, caller) := [entry[2] | some entry in ranked] if {
	ranked := sort([[generality, first, action] |
		some action in {each | some each in actions}
		not grants.granted(action, caller)
		first := min([at | some at, each in actions; each == action])
		generality := _generality(name, action)
	])
}

# What must be true of the resource when these fields are written; the policy does not know its state.
conditions(name, caller) := [condition |
	some field, condition in data.tenure.fields.tables[name].conditions
	some written in question.segments
	written == field
	not grants.granted(condition.action, caller)
]

_generality(name, action) := 1 if {
	data.tenure.fields.tables[name].update == action
} else := 0

_writer(name, field) := action if {
	action := data.tenure.fields.tables[name].write[field]
	is_string(action)
} else := data.tenure.fields.tables[name].update if {
	data.tenure.fields.tables[name].write[field] == null
} else := _unlisted

# No row grants it.
_unlisted := "tenure:field:unlisted"

# Each action once, however many fields it writes.
_writing[name] contains action if {
	some name
	some action in data.tenure.fields.tables[name].write
	is_string(action)
}

# METADATA
# title: Question
# description: The input of a decision. Everything here copes with any input; a value of the wrong shape is never guessed at.
# schemas:
#   - input: schema.question
package tenure.question

default well_formed := false

# `fields` with odd members is still well formed: only the actions that judge fields refuse it (see segments).
well_formed if {
	_resource_ok
	_fields_ok
	_requested_ok
}

default resource_type := "none"

resource_type := input.resource.type if is_string(input.resource.type)

default fields_given := false

fields_given if {
	is_array(input.fields)
	count(input.fields) > 0
}

# First segment of every pointer, in order. Undefined if a single pointer is malformed.
segments := found if {
	found := [name | some pointer in input.fields; name := _first_segment(pointer)]
	count(found) == count(input.fields)
}

# The owner that the body asks for; undefined if it asks for none.
requested_owner := input.requested.owner if is_string(input.requested.owner)

# Absent and null say the same; false, 0 and "" are values. One rule each, because a negated call whose argument is
# undefined is itself undefined.
_resource_given if input.resource != null

_type_given if input.resource.type != null

_fields_given if input.fields != null

_requested_given if input.requested != null

_requested_owner_given if input.requested.owner != null

_resource_ok if not _resource_given

_resource_ok if {
	is_object(input.resource)
	_type_ok
}

_type_ok if not _type_given

_type_ok if data.tenure.resources[input.resource.type]

_fields_ok if not _fields_given

_fields_ok if is_array(input.fields)

_requested_ok if not _requested_given

_requested_ok if {
	is_object(input.requested)
	_requested_owner_ok
}

_requested_owner_ok if not _requested_owner_given

_requested_owner_ok if is_string(input.requested.owner)

_first_segment(pointer) := name if {
	is_string(pointer)
	startswith(pointer, "/")
	not _badly_escaped(pointer)
	name := _unescaped(split(pointer, "/")[1])
	name != ""
}

# A blank in place of a good escape: removing it could join a lone ~ with what follows.
_badly_escaped(pointer) if contains(replace(replace(pointer, "~0", " "), "~1", " "), "~")

_unescaped(segment) := replace(replace(segment, "~1", "/"), "~0", "~")

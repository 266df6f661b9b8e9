# METADATA
# title: Relation
# description: The relations of the caller's project to the resource in the question. A null or empty id never matches anything.
# schemas:
#   - input: schema.question
package tenure.relation

import data.tenure.question
import data.tenure.subject

is_id(value) if {
	is_string(value)
	value != ""
}

# The only place where two ids are compared.
same(left, right) if {
	is_id(left)
	is_id(right)
	left == right
}

# Such as {"owner", "lessee"}: relations that this caller has to this resource.
of_caller contains name if {
	some column, name in data.tenure.resources[question.resource_type].relations
	same(_column(column), subject.project)
}

# The caller created the resource.
created if {
	data.tenure.resources[question.resource_type].creator
	same(input.resource.creator, input.subject.user_id)
}

# The project in each relation (owner, lessee) to the resource, whether or not it is the caller's.
target[name] := id if {
	some column, name in data.tenure.resources[question.resource_type].relations
	id := _column(column)
}

target["server_creator"] := input.resource.creator if data.tenure.resources[question.resource_type].creator

_column("owner") := input.resource.owner

_column("lessee") := input.resource.lessee

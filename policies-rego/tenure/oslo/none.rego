package tenure.oslo

# Null reads "None" in Python. Under that name it is a value like others; it never equals another null.

# ATTRIBUTE:None
is_none(view, attribute) if not view[attribute]

is_none(view, attribute) if view[attribute] == "None"

# None:%(KEY)s. Only of a target that has the key: to one without it nothing is equal.
target_is_none(view, key) if text(view, key) == "None"

# What %(KEY)s puts into a longer text.
text(view, key) := view.target[key]

text(view, key) := "None" if view.nobody[key]

# What a target always has, because it holds who asks, too.
text(view, key) := "None" if {
	key in ["user_id", "project_id", "system_scope", "domain_id"]
	not view.target[key]
}

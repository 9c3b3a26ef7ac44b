import PredicateFormat

print(try FileQuery(format: "name ENDSWITH[c] %@ AND fileSize > 1000", ".epub"))

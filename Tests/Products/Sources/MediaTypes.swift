import MediaTypes

print(MediaType("application/epub+zip")?.name ?? "unknown")

import MediaTypes

print(MediaType.epub.name ?? "unknown", MediaType.epub)

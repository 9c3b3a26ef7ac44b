// Also depends on the product MemoryFileProvider.
import FileProviderUndo
import MemoryFileProvider

let folder = try MemoryFileProvider().undoable()
try await folder.createFolder(path: ProviderPath("/books"))
print(folder.undoManager.canUndo ? "it can be taken back" : "it stays")

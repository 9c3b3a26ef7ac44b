import BoxFileProvider
import CarrelCommand
import FileProviderCore

// A `carrel` that knows boxes too: every verb works on `box://NAME/path`.
try ProviderRegistry.shared.register(BoxFileProvider.registration)
await CarrelCommand.main()

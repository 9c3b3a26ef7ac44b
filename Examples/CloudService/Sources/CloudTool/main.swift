import CarrelCommand
import CloudFileProvider
import FileProviderCore

// A `carrel` that knows the cloud, too: every verb works on `cloud://HOST/path`.
try ProviderRegistry.shared.register(CloudService.registration)
await CarrelCommand.main()

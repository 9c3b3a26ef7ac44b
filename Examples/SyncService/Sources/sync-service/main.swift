import Foundation
import SyncDaemon

exit(await SyncDaemon.main(Array(CommandLine.arguments.dropFirst())))

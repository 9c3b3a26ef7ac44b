import ReaderLink

// One import for both sides: where an application's library lies, and how many books a driver sends at once, unless told otherwise.
print(ApplicationOptions(application: "Lamp").snapshot, DriverOptions().batchSize)

import ReaderLink

// One import for both sides: prints the default name of an application's snapshot, and the default size of a driver's
// batch.
print(ApplicationOptions(application: "Lamp").snapshot, DriverOptions().batchSize)

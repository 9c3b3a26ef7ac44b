import ReaderApplication

// Prints the default name of the snapshot of an application's library.
print(ApplicationOptions(application: "Lamp").snapshot)

import ReaderApplication

// Where an application's library lies, unless it is told otherwise.
print(ApplicationOptions(application: "Lamp").snapshot)

import CarrelCommand

await CarrelCommand.main()

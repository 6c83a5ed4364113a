import Testing

/// Checks every Swift file of the package by the project's conventions.
@Suite struct TidyTests {
    @Test func targetsDeclareWhatTheyImport() throws {
        let manifest = try Manifest.package.get()
        let files = try SourceTree.everything.get().filter { $0.path != "Package.swift" }
        #expect(!files.isEmpty && manifest.sourceTargets.count > 20)
        let findings = files.flatMap { ImportRules.findings(in: $0, manifest) }
        #expect(findings.isEmpty, "\(findings.text)")
    }

    @Test func targetsImportWhatTheyDeclare() throws {
        let unused = ImportRules.unused(
            try Manifest.package.get(), try SourceTree.everything.get())
        #expect(unused.isEmpty)
    }

    @Test func targetsImportWhatTheyMayImportFromOutside() throws {
        #expect(ImportRules.unusedOutside(try SourceTree.sources.get()).isEmpty)
    }

    /// A package that depends on a product builds all of this, so it grows by intent alone.
    @Test func theProductsBuildWhatAClientNeeds() throws {
        let manifest = try Manifest.package.get()
        #expect(manifest.products == ["RelationClient", "RelationClientTesting"])
        let targets = manifest.closure(of: manifest.products)
        #expect(targets == ImportRules.targetsOfClient)
        let outside = targets.reduce(into: Set<String>()) {
            $0.formUnion(ImportRules.outside[$1] ?? [])
        }
        #expect(outside.subtracting(ImportRules.toolchain) == ImportRules.packagesOfClient)
    }

    /// A handler reaches the rows of the store by rules.
    @Test func onlyRulesSayWhereARowStands() throws {
        #expect(ImportRules.namingRows(try SourceTree.sources.get()) == ImportRules.readersOfRows)
    }

    @Test func handlersDoNotImportTheStore() throws {
        let importing = ImportRules.importingTheStore(try SourceTree.sources.get())
        #expect(importing == Set(ImportRules.handlersOfTheStore.keys))
    }

    @Test func oneTargetImportsACLibrary() throws {
        var importers: [String: Set<String>] = [:]
        for file in try SourceTree.sources.get() {
            for (module, _) in ImportRules.imports(of: file)
            where ImportRules.libraries[module] != nil {
                importers[module, default: []].insert(file.target ?? file.path)
            }
        }
        for (module, targets) in importers {
            #expect(targets == [ImportRules.libraries[module] ?? ""], "\(module)")
        }
    }

    @Test func storedCountsAreNotLoweredBelowNone() throws {
        let files = try SourceTree.sources.get().filter { $0.target == "RelationCore" }
        let names = CountRules.storedNumbers(in: files)
        #expect(names.isSuperset(of: ["friendCount", "memberCount", "onlineStatus", "count"]))
        let findings = files.filter { !$0.path.contains("/Adjacency/") }
            .flatMap { CountRules.plainSubtractions(from: names, in: $0) }
        #expect(findings.isEmpty, "\(findings.text)")
    }

    @Test(
        arguments: [
            ("lines fit in 100 columns", StyleRules.longLines),
            ("files fit in 600 lines", StyleRules.longFile),
            ("functions fit in 70 lines", StyleRules.longFunctions),
            ("nothing is promised for later", StyleRules.promises),
            ("no check is switched off", StyleRules.forbiddenCode),
            ("what is unsafe is explained", StyleRules.unexplainedCode),
            ("names say something", StyleRules.emptyNames),
        ] as [(String, @Sendable (SourceFile) -> [Finding])])
    func everyFileKeepsTheRule(
        name: String, rule: @Sendable (SourceFile) -> [Finding]
    ) throws {
        let findings = try SourceTree.everything.get().flatMap(rule)
        #expect(findings.isEmpty, "\(name):\(findings.text)")
    }

    @Test(
        arguments: [
            ("a module is not named like its type", StyleRules.modulesNamedLikeTypes),
            ("public types are documented", StyleRules.undocumentedTypes),
            ("no wait goes by the wall clock", StyleRules.waitsByTheWallClock),
        ] as [(String, @Sendable (SourceFile) -> [Finding])])
    func everySourceKeepsTheRule(
        name: String, rule: @Sendable (SourceFile) -> [Finding]
    ) throws {
        let findings = try SourceTree.sources.get().flatMap(rule)
        #expect(findings.isEmpty, "\(name):\(findings.text)")
    }
}

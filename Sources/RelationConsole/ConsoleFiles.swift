package import AdminEndpoints
import ContractText

/// The files of the console, as endpoints of the admin listener.
///
/// The page is a program of the browser. It calls the service by Connect, with the credential that
/// its user types. Beside it stands the contract, as a page to read and as OpenAPI.
package enum ConsoleFiles {
    /// The folder of all files but the first.
    package static let folder = "/console/"

    /// The browser fetches nothing from elsewhere, runs no text as a program, and shows the page in
    /// no frame.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """

    /// Each file by its path.
    package static var endpoints: [AdminEndpoint] {
        let modules = scripts.map { name, content in
            (folder + name, AdminAnswer(.script, content: content, policy: policy))
        }
        let others = [
            ("/", AdminAnswer(.html, content: PackageResources.index_html, policy: policy)),
            (folder + "style.css", AdminAnswer(.style, content: PackageResources.style_css)),
            (folder + "contract.zz", AdminAnswer(.zlib, content: Descriptions.compressed)),
        ]
        return (others + modules + reference).map { path, answer in
            AdminEndpoint(path, isListed: false) { answer }
        }
    }

    /// The contract as `make docs` writes it: compressed, and with a policy that has the hashes of
    /// the page's own style and script.
    private static var reference: [(String, AdminAnswer)] {
        let policy = String(decoding: PackageResources.policy_txt, as: UTF8.self)
        return [
            (
                "/reference",
                AdminAnswer(
                    .html, content: PackageResources.reference_gz, policy: policy,
                    isCompressed: true)
            ),
            (
                "/openapi.json",
                AdminAnswer(.json, content: PackageResources.openapi_gz, isCompressed: true)
            ),
        ]
    }

    private static var scripts: [(String, [UInt8])] {
        [
            ("app.js", PackageResources.app_js),
            ("apps/apps.js", PackageResources.apps_js),
            ("apps/hooks.js", PackageResources.hooks_js),
            ("apps/moderation.js", PackageResources.moderation_js),
            ("apps/rows.js", PackageResources.rows_js),
            ("apps/settings.js", PackageResources.settings_js),
            ("events/events.js", PackageResources.events_js),
            ("events/feed.js", PackageResources.feed_js),
            ("explorer/explorer.js", PackageResources.explorer_js),
            ("explorer/languages.js", PackageResources.languages_js),
            ("explorer/snippets.js", PackageResources.snippets_js),
            ("graph/circle.js", PackageResources.circle_js),
            ("graph/export.js", PackageResources.export_js),
            ("graph/graph.js", PackageResources.graph_js),
            ("graph/layout.js", PackageResources.layout_js),
            ("graph/path.js", PackageResources.path_js),
            ("graph/view.js", PackageResources.view_js),
            ("overview/health.js", PackageResources.health_js),
            ("overview/metrics.js", PackageResources.metrics_js),
            ("overview/overview.js", PackageResources.overview_js),
            ("overview/plot.js", PackageResources.plot_js),
            ("palette.js", PackageResources.palette_js),
            ("shared/answer.js", PackageResources.answer_js),
            ("shared/api.js", PackageResources.api_js),
            ("shared/contract.js", PackageResources.contract_js),
            ("shared/dom.js", PackageResources.dom_js),
            ("shared/form.js", PackageResources.form_js),
            ("shared/labels.js", PackageResources.labels_js),
            ("shared/operation.js", PackageResources.operation_js),
            ("shared/shell.js", PackageResources.shell_js),
            ("user/edit.js", PackageResources.edit_js),
            ("user/people.js", PackageResources.people_js),
            ("user/seen.js", PackageResources.seen_js),
            ("user/user.js", PackageResources.user_js),
            ("user/writes.js", PackageResources.writes_js),
        ]
    }
}

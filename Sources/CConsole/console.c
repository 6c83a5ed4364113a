#include "CConsole.h"

// `make console-files` makes this list from the folders of the console.
//
// The compiler of C copies a file into the program as it is. As numbers between commas, the same
// bytes cost the compiler of Swift one and a half minutes and 1.4 GB. A file that is changed
// compiles this one again.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char app[] = {
#embed "../RelationConsole/Files/app.js"
};
static const unsigned char apps_apps[] = {
#embed "../RelationConsole/Files/apps/apps.js"
};
static const unsigned char apps_audit[] = {
#embed "../RelationConsole/Files/apps/audit.js"
};
static const unsigned char apps_hooks[] = {
#embed "../RelationConsole/Files/apps/hooks.js"
};
static const unsigned char apps_moderation[] = {
#embed "../RelationConsole/Files/apps/moderation.js"
};
static const unsigned char apps_rows[] = {
#embed "../RelationConsole/Files/apps/rows.js"
};
static const unsigned char apps_settings[] = {
#embed "../RelationConsole/Files/apps/settings.js"
};
static const unsigned char events_events[] = {
#embed "../RelationConsole/Files/events/events.js"
};
static const unsigned char events_feed[] = {
#embed "../RelationConsole/Files/events/feed.js"
};
static const unsigned char explorer_explorer[] = {
#embed "../RelationConsole/Files/explorer/explorer.js"
};
static const unsigned char explorer_languages[] = {
#embed "../RelationConsole/Files/explorer/languages.js"
};
static const unsigned char explorer_snippets[] = {
#embed "../RelationConsole/Files/explorer/snippets.js"
};
static const unsigned char graph_circle[] = {
#embed "../RelationConsole/Files/graph/circle.js"
};
static const unsigned char graph_export[] = {
#embed "../RelationConsole/Files/graph/export.js"
};
static const unsigned char graph_graph[] = {
#embed "../RelationConsole/Files/graph/graph.js"
};
static const unsigned char graph_layout[] = {
#embed "../RelationConsole/Files/graph/layout.js"
};
static const unsigned char graph_path[] = {
#embed "../RelationConsole/Files/graph/path.js"
};
static const unsigned char graph_view[] = {
#embed "../RelationConsole/Files/graph/view.js"
};
static const unsigned char index_html[] = {
#embed "../RelationConsole/Files/index.html"
};
static const unsigned char overview_health[] = {
#embed "../RelationConsole/Files/overview/health.js"
};
static const unsigned char overview_metrics[] = {
#embed "../RelationConsole/Files/overview/metrics.js"
};
static const unsigned char overview_overview[] = {
#embed "../RelationConsole/Files/overview/overview.js"
};
static const unsigned char overview_plot[] = {
#embed "../RelationConsole/Files/overview/plot.js"
};
static const unsigned char palette[] = {
#embed "../RelationConsole/Files/palette.js"
};
static const unsigned char shared_answer[] = {
#embed "../RelationConsole/Files/shared/answer.js"
};
static const unsigned char shared_api[] = {
#embed "../RelationConsole/Files/shared/api.js"
};
static const unsigned char shared_contract[] = {
#embed "../RelationConsole/Files/shared/contract.js"
};
static const unsigned char shared_dom[] = {
#embed "../RelationConsole/Files/shared/dom.js"
};
static const unsigned char shared_form[] = {
#embed "../RelationConsole/Files/shared/form.js"
};
static const unsigned char shared_labels[] = {
#embed "../RelationConsole/Files/shared/labels.js"
};
static const unsigned char shared_operation[] = {
#embed "../RelationConsole/Files/shared/operation.js"
};
static const unsigned char shared_shell[] = {
#embed "../RelationConsole/Files/shared/shell.js"
};
static const unsigned char style_css[] = {
#embed "../RelationConsole/Files/style.css"
};
static const unsigned char user_edit[] = {
#embed "../RelationConsole/Files/user/edit.js"
};
static const unsigned char user_explain[] = {
#embed "../RelationConsole/Files/user/explain.js"
};
static const unsigned char user_history[] = {
#embed "../RelationConsole/Files/user/history.js"
};
static const unsigned char user_people[] = {
#embed "../RelationConsole/Files/user/people.js"
};
static const unsigned char user_seen[] = {
#embed "../RelationConsole/Files/user/seen.js"
};
static const unsigned char user_user[] = {
#embed "../RelationConsole/Files/user/user.js"
};
static const unsigned char user_writes[] = {
#embed "../RelationConsole/Files/user/writes.js"
};
static const unsigned char openapi_gz[] = {
#embed "../RelationConsole/Reference/openapi.gz"
};
static const unsigned char policy_txt[] = {
#embed "../RelationConsole/Reference/policy.txt"
};
static const unsigned char reference_gz[] = {
#embed "../RelationConsole/Reference/reference.gz"
};

static const struct console_file files[] = {
    {"app.js", app, sizeof app},
    {"apps/apps.js", apps_apps, sizeof apps_apps},
    {"apps/audit.js", apps_audit, sizeof apps_audit},
    {"apps/hooks.js", apps_hooks, sizeof apps_hooks},
    {"apps/moderation.js", apps_moderation, sizeof apps_moderation},
    {"apps/rows.js", apps_rows, sizeof apps_rows},
    {"apps/settings.js", apps_settings, sizeof apps_settings},
    {"events/events.js", events_events, sizeof events_events},
    {"events/feed.js", events_feed, sizeof events_feed},
    {"explorer/explorer.js", explorer_explorer, sizeof explorer_explorer},
    {"explorer/languages.js", explorer_languages, sizeof explorer_languages},
    {"explorer/snippets.js", explorer_snippets, sizeof explorer_snippets},
    {"graph/circle.js", graph_circle, sizeof graph_circle},
    {"graph/export.js", graph_export, sizeof graph_export},
    {"graph/graph.js", graph_graph, sizeof graph_graph},
    {"graph/layout.js", graph_layout, sizeof graph_layout},
    {"graph/path.js", graph_path, sizeof graph_path},
    {"graph/view.js", graph_view, sizeof graph_view},
    {"index.html", index_html, sizeof index_html},
    {"overview/health.js", overview_health, sizeof overview_health},
    {"overview/metrics.js", overview_metrics, sizeof overview_metrics},
    {"overview/overview.js", overview_overview, sizeof overview_overview},
    {"overview/plot.js", overview_plot, sizeof overview_plot},
    {"palette.js", palette, sizeof palette},
    {"shared/answer.js", shared_answer, sizeof shared_answer},
    {"shared/api.js", shared_api, sizeof shared_api},
    {"shared/contract.js", shared_contract, sizeof shared_contract},
    {"shared/dom.js", shared_dom, sizeof shared_dom},
    {"shared/form.js", shared_form, sizeof shared_form},
    {"shared/labels.js", shared_labels, sizeof shared_labels},
    {"shared/operation.js", shared_operation, sizeof shared_operation},
    {"shared/shell.js", shared_shell, sizeof shared_shell},
    {"style.css", style_css, sizeof style_css},
    {"user/edit.js", user_edit, sizeof user_edit},
    {"user/explain.js", user_explain, sizeof user_explain},
    {"user/history.js", user_history, sizeof user_history},
    {"user/people.js", user_people, sizeof user_people},
    {"user/seen.js", user_seen, sizeof user_seen},
    {"user/user.js", user_user, sizeof user_user},
    {"user/writes.js", user_writes, sizeof user_writes},
    {"openapi.gz", openapi_gz, sizeof openapi_gz},
    {"policy.txt", policy_txt, sizeof policy_txt},
    {"reference.gz", reference_gz, sizeof reference_gz},
};

size_t console_file_count(void) { return sizeof files / sizeof files[0]; }

struct console_file console_file_at(size_t index) { return files[index]; }

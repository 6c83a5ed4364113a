{{/* The name of all objects. A StatefulSet adds up to eleven characters to it in a label. */}}
{{- define "relationd.fullname" -}}
{{- $name := .Release.Name -}}
{{- if .Values.fullnameOverride -}}
{{- $name = .Values.fullnameOverride -}}
{{- else if not (contains "relationd" $name) -}}
{{- $name = printf "%s-relationd" $name -}}
{{- end -}}
{{- $name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "relationd.selector" -}}
app.kubernetes.io/name: relationd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "relationd.labels" -}}
{{ include "relationd.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end }}

{{- define "relationd.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The Secret with the password of the database; empty if there is none. */}}
{{- define "relationd.passwordSecret" -}}
{{- if .Values.database.passwordSecret -}}
{{- .Values.database.passwordSecret -}}
{{- else if .Values.database.password -}}
{{- include "relationd.fullname" . -}}
{{- end -}}
{{- end }}

{{/* The seconds that a pod has to end: more than stop-delay, the ten of a stop, and the six of a store
that has failed. */}}
{{- define "relationd.grace" -}}
{{- $folder := eq .Values.store "folder" -}}
{{- $delay := ternary 0 5 $folder -}}
{{- if hasKey .Values.settings "stop-delay" -}}
{{- $delay = index .Values.settings "stop-delay" | int -}}
{{- end -}}
{{- $given := .Values.terminationGracePeriodSeconds | int -}}
{{- if and $given (le $given (add $delay 16 | int)) -}}
{{- $words := "terminationGracePeriodSeconds is %d: it must be more than %d, for a stop-delay of %d" -}}
{{- fail (printf $words $given (add $delay 16) $delay) -}}
{{- end -}}
{{- $given | default (max (ternary 30 45 $folder) (add $delay 25)) -}}
{{- end }}

{{/* The settings as variables. A large whole number would else be written as 1e+07. */}}
{{- define "relationd.env" -}}
{{- $settings := dict "log-format" "json" -}}
{{- if eq .Values.store "database" -}}
{{- $settings = merge (dict "connection-age" 600 "stop-delay" 5) $settings -}}
{{- $_ := set $settings "store" .Values.database.url -}}
{{- end -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $settings "tls-cert" "/tls/tls.crt" -}}
{{- $_ := set $settings "tls-key" "/tls/tls.key" -}}
{{- else -}}
{{- $_ := set $settings "allow-plaintext" true -}}
{{- end -}}
{{- range $name, $value := mergeOverwrite $settings .Values.settings }}
{{- $text := toString $value -}}
{{- if and (kindIs "float64" $value) (eq (toString (floor $value)) $text) -}}
{{- $text = $value | int64 | toString -}}
{{- end }}
- name: RELATIOND_{{ $name | upper | replace "-" "_" }}
  value: {{ $text | quote }}
{{- end }}
{{- if and (eq .Values.store "database") (include "relationd.passwordSecret" .) }}
- name: RELATIOND_STORE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "relationd.passwordSecret" . }}
      key: {{ .Values.database.passwordKey }}
{{- end }}
{{- end }}

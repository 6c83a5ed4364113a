{{/* The pod of both kinds of store. */}}
{{- define "relationd.pod" -}}
{{- $folder := eq .Values.store "folder" -}}
metadata:
  labels:
    {{- include "relationd.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "7451"
    {{- if and (not $folder) .Values.database.password (not .Values.database.passwordSecret) }}
    # A new password starts the servers anew.
    checksum/password: {{ .Values.database.password | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  # More than stop-delay, the ten seconds of a stop, and the six of a store that has failed.
  terminationGracePeriodSeconds: {{ include "relationd.grace" . }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10000
    runAsGroup: 10000
    {{- if or $folder .Values.tls.secretName }}
    fsGroup: 10000
    {{- end }}
    seccompProfile: {type: RuntimeDefault}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.affinity }}
  affinity:
    {{- toYaml .Values.affinity | nindent 4 }}
  {{- else if not $folder }}
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                {{- include "relationd.selector" . | nindent 16 }}
  {{- end }}
  containers:
    - name: relationd
      image: {{ include "relationd.image" . | quote }}
      {{- with .Values.image.pullPolicy }}
      imagePullPolicy: {{ . }}
      {{- end }}
      env:
        {{- include "relationd.env" . | trim | nindent 8 }}
      ports:
        - {name: grpc, containerPort: 7450}
        - {name: admin, containerPort: 7451}
      startupProbe:
        httpGet: {path: /livez, port: admin}
        periodSeconds: 2
        failureThreshold: {{ .Values.startupFailureThreshold | default (ternary 150 60 $folder) }}
      livenessProbe:
        httpGet: {path: /livez, port: admin}
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet: {path: /readyz, port: admin}
        periodSeconds: 5
        timeoutSeconds: 3
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: {{ ternary "data" "state" $folder }}, mountPath: /var/lib/relationd}
        - {name: tmp, mountPath: /tmp}
        {{- if .Values.tls.secretName }}
        - {name: tls, mountPath: /tls, readOnly: true}
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if not $folder }}
    - name: state
      emptyDir: {}
    {{- end }}
    {{- with .Values.tls.secretName }}
    - name: tls
      secret: {secretName: {{ . | quote }}, defaultMode: 0440}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

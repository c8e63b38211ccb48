# A job in any language, which `rlock run` starts on one server alone. It has the number of this run,
# which only rises, in RLOCK_FENCE.
echo "$(date +%H:%M:%S) $(uname -n): cleaned up"

file = H5Fopen({path}, flags, H5P_DEFAULT);  // before the loop, not in it; flags as now
